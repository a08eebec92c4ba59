export interface CrontabJob {
  line: number;
  /** The expression: five fields, or a macro. */
  expression: string;
  /** The user of the job; only in a system crontab. */
  user: string | undefined;
  command: string;
  /** Environment variables that apply to this line. */
  variables: Readonly<Record<string, string>>;
}

/** The jobs in a crontab; their expressions are not checked yet. */
export interface CrontabLines {
  jobs: CrontabJob[];
  problems: { where: string; problem: string }[];
}

const VARIABLE = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_]\w*))\s*=\s*(.*)$/;
const MACRO = /^(@\S+)\s+(.*)$/;
const FIELDS = /^(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/;

/** @param system whether each command has a user before it, as in /etc/crontab and /etc/cron.d */
export function crontabLines(text: string, system: boolean): CrontabLines {
  const found: CrontabLines = { jobs: [], problems: [] };
  let variables: Readonly<Record<string, string>> = {};
  for (const [index, written] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = written.trim();
    if (line === '' || line.startsWith('#')) continue;
    const where = `line ${index + 1}`;
    const variable = VARIABLE.exec(line);
    if (variable !== null) {
      const [, double, single, bare, value] = variable;
      variables = { ...variables, [(double ?? single ?? bare)!]: unquoted(value!) };
      continue;
    }
    const [, expression, rest] = MACRO.exec(line) ?? FIELDS.exec(line) ?? [];
    if (expression === undefined) {
      found.problems.push({
        where,
        problem: `'${line}' is no job: five fields or a macro, then a command, are expected`,
      });
      continue;
    }
    const [, user, command] = system ? (/^(\S+)\s+(.+)$/.exec(rest!) ?? []) : [undefined, undefined, rest!];
    if (!command) {
      found.problems.push({
        where,
        problem: system ? `'${line}' has no user and command` : `'${line}' has no command`,
      });
      continue;
    }
    found.jobs.push({ line: index + 1, expression: expression.replace(/\s+/g, ' '), user, command, variables });
  }
  return found;
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
}
