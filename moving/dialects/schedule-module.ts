import { camelCase, type Reading } from './found';
import { literal } from './literal';

/** Names that must not be constants of the module: its own names, and words of the language. */
const RESERVED = new Set(
  (
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
    'import in instanceof new null return super switch this throw true try typeof var void while with yield let static ' +
    'implements interface package private protected public await arguments eval async defineSchedule'
  ).split(' '),
);

/** @param source name of the source, such as `crontab /etc/crontab` */
export function scheduleModule({ found, problems }: Reading, source: string): string {
  const names = new Set<string>(RESERVED);
  const blocks = found.map(({ where, schedule, became, decide }) => {
    const name = unusedName(camelCase(schedule.scheduleId), names);
    return [
      ...comment(where),
      ...became.flatMap((line) => comment(`- ${line}`)),
      ...decide.flatMap((line) => comment(`DECIDE: ${line}`)),
      `export const ${name} = defineSchedule(${literal(schedule)});`,
    ].join('\n');
  });
  const left = problems.flatMap(({ where, problem }) => comment(`LEFT OUT: ${where}: ${problem}`));
  return [
    [
      ...comment(`Made of ${source}. Look at each DECIDE, then register them:`),
      ...comment('escapement schedule apply THIS-FILE --source crons --revision 1'),
      ...(found.length === 0 ? ['export {};'] : ["import { defineSchedule } from 'escapement/define';"]),
    ].join('\n'),
    ...blocks,
    ...(left.length === 0 ? [] : [left.join('\n')]),
  ]
    .join('\n\n')
    .concat('\n');
}

function unusedName(name: string, names: Set<string>): string {
  let unused = name;
  for (let number = 2; names.has(unused); number++) unused = `${name}${number}`;
  names.add(unused);
  return unused;
}

/** Writes a text as comment lines. Each line of the text gets its own `//`, so that no part of it becomes code. */
function comment(text: string): string[] {
  return text.split(/[\r\n\u2028\u2029]+/).map((line) => `// ${line}`.trimEnd());
}
