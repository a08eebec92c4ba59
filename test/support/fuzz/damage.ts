import fc from 'fast-check';
import type { TestLedger } from '../ledger';

/** A value of one row, as a newer or a damaged program would write it. */
export interface Damage {
  table: string;
  column: string;
  type: string;
  /** The key of the row, as JSON. */
  key: Record<string, unknown>;
  /** The whole row as it was, as JSON. */
  before: Record<string, unknown>;
  /** The new value as Postgres reads it; null for null. */
  value: string | null;
}

/** One way to damage: which column, which of its rows, and how. */
export interface Choice {
  column: number;
  row: number;
  /** Where in a JSON value: which entry of the value, which of that entry's, and so on. */
  at: number[];
  how: 'replace' | 'remove' | 'add';
  json: string;
  text: string | null;
  number: string;
  instant: string;
}

/** The columns of each table that name its rows. */
const KEYS: Record<string, string[]> = {
  schedules: ['schedule_id'],
  schedule_versions: ['schedule_id', 'version'],
  timers: ['schedule_id'],
  firings: ['schedule_id', 'scheduled_time'],
  gaps: ['schedule_id', 'from_time'],
  letters: ['letter_id'],
  freezes: ['freeze_id'],
  calendars: ['tenant', 'name'],
  alerts: ['alert_id'],
  alert_silences: ['silence_id'],
  alert_messages: ['message_id', 'target'],
  triggers: ['id'],
  bulk_operations: ['operation_id'],
  bulk_schedules: ['operation_id', 'schedule_id'],
  meta: ['key'],
};

/**
 * What another value would not damage but change: another schedule, firing or tenant, or another thing that somebody
 * asked for. `meta` has the ledger's identity, without which no program works on it.
 */
const TRUTHS: Record<string, string[]> = {
  '*': ['tenant', 'changed', 'epoch', 'kind', 'scheduled_time'],
  schedules: ['version', 'paused', 'deleted_at', 'external_id', 'unpaused_at', 'created_at'],
  timers: ['remaining_actions', 'completed_at'],
  firings: ['state', 'outcome', 'schedule_version', 'claimed_at'],
  gaps: ['from_time', 'to_time', 'count'],
  letters: ['state', 'schedule_id'],
  freezes: ['schedule_ids', 'source', 'from_time', 'to_time', 'ended_at'],
  alerts: ['condition', 'subject', 'schedule_id'],
  alert_silences: ['schedule_id', 'until'],
};
const IDENTITY = ['installation', 'schema', 'incarnation', 'adopted_at', 'retention_floor'];

export interface Column {
  table: string;
  column: string;
  type: string;
}

/** The columns that may be damaged. Those of JSON come several times, since more can be wrong in them. */
export async function damageable(ledger: Pick<TestLedger, 'query'>): Promise<Column[]> {
  const columns = await ledger.query<Column>(
    `select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = 'escapement'::regnamespace and c.relname = any($1) and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attname`,
    [Object.keys(KEYS)],
  );
  return columns
    .filter(({ table, column }) => ![...KEYS[table]!, ...TRUTHS['*']!, ...(TRUTHS[table] ?? [])].includes(column))
    .filter(({ type }) => type !== 'boolean')
    .flatMap((column) => (column.type === 'jsonb' ? Array(TIMES_OF_JSON).fill(column) : [column]));
}

const TIMES_OF_JSON = 5;

const WORDS = [
  '',
  ' ',
  'SOMEHOW',
  '0',
  '-1',
  '1e30',
  'NaN',
  'infinity',
  '2026-02-30T00:00:00Z',
  '2027-01-01T00:00:00Z',
];
const TEXTS = [...WORDS, 'null', '{}', '\u202e\ufffd\u{1f4a5}\t\n', 'x'.repeat(3_000), '__proto__', 'constructor'];
/** As Postgres stores them: the last two are no numbers of JavaScript. */
const NUMBERS = ['0', '-1', '0.5', '1e30', '-1e30', '2147483648', '9007199254740993', '1e999'];
const INSTANTS = ['0001-01-01Z', '1970-01-01Z', '9999-12-31Z'];

const storable = (text: string) => !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text);
const json = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(...NUMBERS, 'null', 'true', 'false', '[]', '{}', '[null]', '{"of": "newer"}'),
  },
  { weight: 2, arbitrary: fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 2 }).filter(storable) },
);

export const choice: fc.Arbitrary<Choice> = fc.record({
  column: fc.nat(),
  row: fc.nat(),
  at: fc.array(fc.nat(30), { maxLength: 3 }),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add'),
  json,
  text: fc.option(fc.constantFrom(...TEXTS), { freq: 6 }),
  number: fc.constantFrom('0', '-1', '1', '32767', '2147483647', '-2147483648', '9007199254740993'),
  instant: fc.constantFrom(...INSTANTS),
});

/** The damage that was chosen; undefined if no row has such a value. */
export async function damageOf(
  ledger: Pick<TestLedger, 'query'>,
  columns: readonly Column[],
  chosen: Choice,
): Promise<Damage | undefined> {
  const { table, column, type } = columns[chosen.column % columns.length]!;
  const rows = (
    await ledger.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from escapement.${table} t where ${ofBad(table)} order by 1`,
    )
  ).map(({ row }) => row);
  const before = rows[chosen.row % Math.max(1, rows.length)];
  if (!before) return undefined;
  const key = Object.fromEntries(KEYS[table]!.map((name) => [name, before[name]]));
  return { table, column, type, key, before, value: newValue(type, before[column], chosen) };
}

/** Rows of schedules that may be damaged, and all rows of what belongs to no schedule. */
function ofBad(table: string): string {
  if (table === 'meta') return `key <> all('{${IDENTITY.join()}}')`;
  return ['freezes', 'calendars', 'alert_messages', 'triggers', 'bulk_operations'].includes(table)
    ? 'true'
    : `schedule_id like 'bad%'`;
}

function newValue(type: string, before: unknown, chosen: Choice): string | null {
  switch (type) {
    case 'jsonb':
      return changed(before, chosen);
    case 'text':
      return chosen.text;
    case 'text[]':
      return chosen.text === null ? null : '{}';
    case 'uuid':
      return '00000000-0000-0000-0000-000000000000';
    case 'bytea':
      return `\\x${Buffer.from(chosen.text ?? '').toString('hex')}`;
    default:
      return type.startsWith('timestamp') ? chosen.instant : chosen.number;
  }
}

const MARK = '\u0001';

/** A JSON text with one change. The value is put in as text, since JavaScript does not know each number of Postgres. */
function changed(before: unknown, { at, how, json }: Choice): string {
  const whole = { '': structuredClone(before) } as Record<string, unknown>;
  let holder = whole;
  let name = '';
  for (const step of at) {
    const inner = holder[name];
    if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) break;
    holder = inner as Record<string, unknown>;
    name = Object.keys(inner)[step % Object.keys(inner).length]!;
  }
  if (how === 'add' && typeof holder[name] === 'object' && holder[name] !== null && !Array.isArray(holder[name])) {
    (holder[name] as Record<string, unknown>).newer = MARK;
  } else if (how === 'remove' && holder !== whole && !Array.isArray(holder)) delete holder[name];
  else holder[name] = MARK;
  return JSON.stringify(whole['']).replace(JSON.stringify(MARK), () => json);
}

/** @returns false if the table's constraints refuse the value */
export async function damage(
  ledger: Pick<TestLedger, 'query'>,
  { table, column, type, key, value }: Damage,
): Promise<boolean> {
  try {
    await ledger.query(
      `update escapement.${table} t set ${column} = $2::text::${type} where to_jsonb(t) @> $1::jsonb`,
      [JSON.stringify(key), value],
    );
    return true;
  } catch {
    return false;
  }
}

/**
 * Put the value back; of a timer, the whole row, since its values belong together. Its `seq` goes on, unless that was
 * damaged: a trigger that planned the timer before must notice that it changed.
 */
export async function mend(ledger: Pick<TestLedger, 'query'>, { table, column, key, before }: Damage): Promise<void> {
  const columns =
    table === 'timers' ? Object.keys(before).filter((name) => name !== 'seq' || column === 'seq') : [column];
  await ledger.query(
    `update escapement.${table} t set ${columns.map((name) => `${name} = b.${name}`).join()}
     from jsonb_populate_record(null::escapement.${table}, $2::jsonb) b where to_jsonb(t) @> $1::jsonb`,
    [JSON.stringify(key), JSON.stringify(before)],
  );
}
