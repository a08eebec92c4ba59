import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULTS } from '../core/defaults';

/** The table of docs/defaults.md is between these marks. */
export const [BEGIN, END] = ['<!-- defaults: begin -->', '<!-- defaults: end -->'];

const SOURCE = readFileSync(resolve(__dirname, '../core/defaults.ts'), 'utf8');

/** Every default with its value and the comment above it. */
export function defaultsTable(): string {
  return ['| name | default | meaning |', '| --- | --- | --- |', ...rowsOf(DEFAULTS)].join('\n');
}

/** The page with the current table. */
export function withDefaults(page: string): string {
  const [before, rest] = page.split(BEGIN);
  return `${before}${BEGIN}\n${defaultsTable()}\n${END}${rest!.split(END)[1]}`;
}

function rowsOf(values: object, path: string[] = []): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (typeof value === 'object' && value !== null) return rowsOf(value, [...path, name]);
    return [`| \`${[...path, name].join('.')}\` | ${value} | ${commentOf(name)} |`];
  });
}

/** The comment above a default. Each default has a unique name. */
function commentOf(name: string): string {
  const comment = new RegExp(`/\\*\\* ([^*]+?)\\.? \\*/\\n +${name}: `).exec(SOURCE)?.[1];
  if (!comment) throw new Error(`core/defaults.ts does not say what ${name} is`);
  return comment;
}
