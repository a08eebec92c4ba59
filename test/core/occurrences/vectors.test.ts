import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileSpec, nextOccurrences } from '../../../core/occurrences';
import { canFire } from '../../../core/occurrences/compile';

/** Facts collected from other projects' tests; `from` is exclusive. */
interface Vector {
  expr: string;
  tz: string;
  from: string;
  next: string[];
  rule: 'robfig' | 'php-cron-expression';
  features: string[];
  depends: string[];
  unsatisfiable?: boolean;
}

const vectors: Vector[] = readFileSync(join(__dirname, '../../vectors/cron.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const portable = vectors.filter((vector) => vector.depends.length === 0);
const byOr = vectors.filter((vector) => vector.depends.join() === 'dom_dow');
const literal = vectors.filter((vector) => vector.rule === 'robfig' && /^dst_/.test(vector.depends.join()));
const wrapped = vectors.filter((vector) => vector.depends.join() === 'wrap_range');
const shortMonth = vectors.filter((vector) => vector.depends.join() === 'W_short_month');

function check(vector: Vector, dst: 'ONCE' | 'LITERAL') {
  const spec = { cron: vector.expr, timezone: vector.tz, dst };
  const found = nextOccurrences(spec, { after: new Date(vector.from), count: Math.max(1, vector.next.length) });
  expect(found.map((date) => date.toISOString().replace('.000', ''))).toEqual(vector.next);
  expect(canFire(compileSpec(spec), Date.parse(vector.from))).toBe(vector.unsatisfiable !== true);
}

const name = (vector: Vector) => `${vector.expr} in ${vector.tz} from ${vector.from}`;

describe('vectors of other projects, as spec.cron', () => {
  it('holds every vector the collection should have', () => {
    expect([portable, byOr, literal, wrapped, shortMonth].map((some) => some.length)).toEqual([117, 13, 10, 2, 5]);
  });
  it.each(portable.map((v) => [name(v), v] as const))('portable: %s', (_, vector) => check(vector, 'ONCE'));
  it.each(byOr.map((v) => [name(v), v] as const))('day fields by OR: %s', (_, vector) => check(vector, 'ONCE'));
  it.each(literal.map((v) => [name(v), v] as const))('LITERAL: %s', (_, vector) => check(vector, 'LITERAL'));
  it.each(shortMonth.map((v) => [name(v), v] as const))('W at the end of a month: %s', (_, vector) =>
    check(vector, 'ONCE'),
  );
  it.each(wrapped.map((v) => [name(v), v] as const))('wrap-around: %s', (_, vector) => check(vector, 'ONCE'));
  it.each(portable.map((v) => [name(v), v] as const))('portable under LITERAL too: %s', (_, vector) =>
    check(vector, 'LITERAL'),
  );
});
