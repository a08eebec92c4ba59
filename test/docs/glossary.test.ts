import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FIRING_KINDS, FIRING_STATES } from '../../core/firing';
import { LETTER_STATES } from '../../core/letters/redrive';

const ROOT = resolve(__dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
const entries = [...page.matchAll(/^\| ([^|]+) \| ([^|]+) \| `(\w+)` in `([^`]+)` \|$/gm)].map(
  ([, word, meaning, name, file]) => ({ word: word!, meaning: meaning!, name: name!, file: file! }),
);

describe('the glossary', () => {
  it('has at most forty entries, each once and in order', () => {
    const rows = page.split('\n').filter((line) => /^\| (?!word |---)/.test(line));
    expect(entries).toHaveLength(rows.length);
    expect(entries.length).toBeLessThanOrEqual(40);
    const words = entries.map(({ word }) => word);
    expect(words).toEqual([...new Set(words)].sort());
  });

  it('names for each word where the code has it', () => {
    const problems = entries.flatMap(({ word, name, file }) => {
      if (!existsSync(join(ROOT, file))) return [`${word}: there is no ${file}`];
      const source = readFileSync(join(ROOT, file), 'utf8');
      return new RegExp(`\\b${name}\\b`).test(source) ? [] : [`${word}: ${file} has no ${name}`];
    });
    expect(problems).toEqual([]);
  });

  it('has each state of a firing, each kind that the pages tell apart, and each end of a letter', () => {
    const named = new Set(entries.map(({ name }) => name));
    const missing = [
      ...FIRING_STATES,
      ...FIRING_KINDS.filter((kind) => kind !== 'schedule' && kind !== 'manual'),
      ...LETTER_STATES.filter((state) => state === 'redriving' || state === 'discarded'),
    ].filter((name) => !named.has(name));
    expect(missing).toEqual([]);
  });

  it('has each pass that a trigger makes for a firing', () => {
    const words = new Set(entries.map(({ word }) => word));
    expect(
      ['claim', 'dispatch', 'observe', 'recover', 'adopt', 'heartbeat'].filter((pass) => !words.has(pass)),
    ).toEqual([]);
  });
});
