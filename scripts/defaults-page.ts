import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ALERT_RULES } from '../core/alert-defaults';
import { DEFAULTS } from '../core/defaults';
import { durationInWords } from '../core/duration';

const sourceOf = (file: string) => readFileSync(resolve(__dirname, '..', file), 'utf8');
const SOURCE = sourceOf('core/defaults.ts');
const RULES = sourceOf('core/alert-rules.ts');

const HEAD = ['| name | default | meaning |', '| --- | --- | --- |'];

/** The page with its current tables, each between two marks. */
export function withDefaults(page: string): string {
  const tables = { defaults: [...HEAD, ...rowsOf(DEFAULTS)], 'alert rules': [...HEAD, ...alertRules()] };
  return Object.entries(tables).reduce((text, [name, rows]) => {
    const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
    const [before, rest] = text.split(begin);
    return `${before}${begin}\n${rows.join('\n')}\n${end}${rest!.split(end)[1]}`;
  }, page);
}

/** Every alert rule with its default and the first sentence of its comment. */
function alertRules(): string[] {
  return Object.entries(ALERT_RULES).map(([name, value]) => {
    const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])+)\\*/\\n  ${name}\\?: (Duration)?`).exec(RULES);
    if (!comment) throw new Error(`core/alert-rules.ts does not say what ${name} is`);
    const [, text, isTime] = comment;
    const [meaning] = text!
      .replace(/\s*\n\s*\*\s*/g, ' ')
      .trim()
      .split(/[.:;] | @/);
    const shown = isTime && typeof value === 'number' ? durationInWords(value) : value;
    return `| \`${name}\` | ${shown} | ${meaning!.replace(/\.$/, '')} |`;
  });
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
