import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { expect } from 'vitest';

export const PAGE = resolve(__dirname, '../../../docs/command-json.md');
export const SCHEMAS = resolve(__dirname, '../../../docs/schemas');
const schemas = new Ajv({
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ },
  allowUnionTypes: true,
});

/** The promise of the page for one key. */
interface Promised {
  types: string[];
  isOptional: boolean;
}

/** The documented keys of each command's output. */
export const promises = new Map<string, Map<string, Promised>>();

for (const section of readFileSync(PAGE, 'utf8').split(/^## /m).slice(1)) {
  const keys = new Map<string, Promised>();
  for (const [, key, type] of section.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)) {
    const [types, optional] = type!.trim().split(', ');
    keys.set(key!, { types: types!.split(' or '), isOptional: optional === 'optional' });
  }
  for (const [, command] of section.split('\n', 1)[0]!.matchAll(/`([^`]+)`/g)) promises.set(command!, keys);
}

/** Every key in the output is documented with its type, and every documented key is in the output. */
export function check(command: string, value: unknown, prefix: string): void {
  if (prefix === '') expect(schemaErrors(command, value), `${command}: its schema`).toBeNull();
  const promised = promises.get(command) ?? new Map<string, Promised>();
  for (const [name, held] of Object.entries(value as object)) {
    const path = `${prefix}${name}`;
    expect([command, path, promised.get(path)?.types], `${path} is ${JSON.stringify(held)}`).toEqual([
      command,
      path,
      expect.arrayContaining([typeOf(held)]),
    ]);
    const isOpened = [...promised.keys()].some((key) => key.startsWith(`${path}.`));
    if (isOpened && held !== null) check(command, held, `${path}.`);
  }
  for (const [path, { isOptional }] of promised) {
    const name = path.slice(prefix.length);
    if (path.startsWith(prefix) && !name.includes('.') && !isOptional)
      expect(value, `${command}: ${path}`).toHaveProperty([name]);
  }
}

/** Violations of the schema in the file. */
function schemaErrors(command: string, value: unknown) {
  const name = `${command.replaceAll('--', '').replaceAll(' ', '-')}.json`;
  const schema = schemas.getSchema(name);
  const validate =
    schema ?? schemas.addSchema(JSON.parse(readFileSync(join(SCHEMAS, name), 'utf8')), name).getSchema(name)!;
  validate(value);
  return validate.errors ?? null;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'time' : 'text';
  return typeof value;
}
