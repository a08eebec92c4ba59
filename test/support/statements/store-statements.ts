import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { PoolLike } from '../../../index';
import { watchedPool } from '../connections/watched-pool';
import type { TestLedger } from '../ledger';

const ROOT = resolve(__dirname, '../../..');

/** A sent statement, with the values of its first execution, and the functions of `store/` that sent it. */
export interface SentStatement {
  text: string;
  values: unknown[];
  by: string[];
}

/** Functions of `store/` that a trigger calls, and that send statements of their own. */
export function storeFunctionsOfTrigger(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(join(ROOT, 'trigger'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const source = readFileSync(join(ROOT, 'trigger', file), 'utf8');
    for (const [, imported, module] of source.matchAll(/import \{([^}]*)\} from '(?:\.\.\/)+store\/([^']+)'/g)) {
      for (const name of imported!.split(',').map((one) => one.trim())) {
        const text = functionsOf(`store/${module}.ts`).get(name) ?? '';
        if (/\bsql(?:<|`)/.test(text) && /\.execute\(|\brun\(/.test(text)) names.add(name);
      }
    }
  }
  return names;
}

/** A pool that collects each statement once, by its text. */
export function collectingPool(ledger: TestLedger): { pool: PoolLike; sent: Map<string, SentStatement> } {
  const sent = new Map<string, SentStatement>();
  const pool = watchedPool(ledger, {
    before: (text, values) => {
      const known = sent.get(text) ?? { text, values, by: [] };
      known.by = [...new Set([...known.by, ...callers()])];
      sent.set(text, known);
    },
  });
  return { pool, sent };
}

/** Functions of `store/` that are waiting for a statement. */
function callers(): string[] {
  const former = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const stack = new Error().stack ?? '';
  Error.stackTraceLimit = former;
  return [...stack.matchAll(/\/(store\/[\w/-]+\.ts):(\d+):\d+/g)].map(([, file, line]) =>
    enclosing(file!, Number(line)),
  );
}

const sources = new Map<string, Map<string, string>>();

/** Text of each function at the top of a file, by its name. */
function functionsOf(file: string): Map<string, string> {
  const known = sources.get(file);
  if (known) return known;
  const parts = readFileSync(join(ROOT, file), 'utf8').split(/^(?:export )?(?=(?:async )?function )/m);
  const functions = new Map(parts.slice(1).map((part) => [/function (\w+)/.exec(part)![1]!, part]));
  sources.set(file, functions);
  return functions;
}

function enclosing(file: string, line: number): string {
  const before = readFileSync(join(ROOT, file), 'utf8').split('\n').slice(0, line);
  const heads = before.flatMap((text) => /^(?:export )?(?:async )?function (\w+)/.exec(text)?.[1] ?? []);
  return heads.at(-1) ?? file;
}
