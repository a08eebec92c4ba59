import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const RESULTS = resolve(__dirname, '../../../docs/mutation.json');
const BLOCK = /(<!-- mutation: begin -->\n)[\s\S]*?(<!-- mutation: end -->)/;

/** A count of mutants of some code. `noticed` includes those `byTime`: tests that did not end. */
interface Count {
  code: string;
  mutants: number;
  noticed: number;
  byTime: number;
}

export interface MutationResults {
  counts: Count[];
  /** Why mutants of the passes were not noticed, with the file of each. */
  unnoticed: { why: string; mutants: string[] }[];
}

/** docs/reliability.md with the tables of docs/mutation.json. */
export function withMutation(page: string): string {
  const { counts, unnoticed } = JSON.parse(readFileSync(RESULTS, 'utf8')) as MutationResults;
  const rows = counts.map(({ code, mutants, noticed, byTime }) => {
    const score = `${((100 * noticed) / mutants).toFixed(1)} %`;
    return `| ${code} | ${mutants.toLocaleString('en')} | ${noticed.toLocaleString('en')} | ${score} | ${byTime} |`;
  });
  const reasons = unnoticed.map(({ why, mutants }) => {
    const files = [...new Set(mutants)].map((file) => {
      const times = mutants.filter((one) => one === file).length;
      return `\`${file}\`${times > 1 ? ` (${times})` : ''}`;
    });
    return `| ${why} | ${files.join(', ')} |`;
  });
  const tables = [
    '| code | mutants | noticed | score | of these by time |',
    '| --- | --: | --: | --: | --: |',
    ...rows,
    '',
    '| not noticed in the passes | where |',
    '| --- | --- |',
    ...reasons,
  ];
  return page.replace(BLOCK, (_, begin: string, end: string) => `${begin}\n${tables.join('\n')}\n\n${end}`);
}
