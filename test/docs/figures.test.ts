import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(__dirname, '../..');
const RESULTS = join(ROOT, 'bench/results');

/**
 * `0.95<!-- sustained: firings closed, of the loop’s workflows completed [min] -->`; with `[inverse]`, one divided by the
 * median.
 */
const MARKED = /([\d.,]+)<!-- ([\w-]+): (.+?)(?: \[(min|max|inverse)\])? -->/g;
/** A measured figure: a fraction, or a number with a unit. */
const FIGURE = /\b\d+\.\d+\b|\b\d[\d,]*(?= (?:ms|µs|MB|%|×|times|a second|beside)\b| ?[%×])/g;

interface Recorded {
  median: number;
  min: number;
  max: number;
}

function recorded(scene: string, name: string): Recorded | undefined {
  const { verdicts, figures } = JSON.parse(readFileSync(join(RESULTS, `${scene}.json`), 'utf8'));
  return (
    verdicts.find(({ what }: { what: string }) => what === name) ??
    figures.find((one: { series: string; metric: string }) => `${one.series} | ${one.metric}` === name)
  );
}

/** Whether a figure equals the recorded value, rounded to the same number of digits. */
function isRounded(written: string, value: number): boolean {
  const digits = written.split('.')[1]?.length ?? 0;
  return Math.abs(Number(written.replaceAll(',', '')) - value) <= 0.5 * 10 ** -digits + 1e-9;
}

const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: unwrapped(readFileSync(join(ROOT, name), 'utf8')) }));

/** A mark may go on in the next line. */
function unwrapped(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, (mark) => mark.replace(/\s+/g, ' '));
}

it('every figure that a page cites from a scene of the bench is the one in its recorded result', () => {
  const cited = pages.flatMap(({ name, text }) => [...text.matchAll(MARKED)].map((match) => ({ name, match })));
  expect(cited.length).toBeGreaterThan(15);
  const wrong = cited.flatMap(({ name, match: [, written, scene, what, stat = 'median'] }) => {
    const found = recorded(scene!, what!);
    const value = stat === 'inverse' ? found && 1 / found.median : found?.[stat as keyof Recorded];
    const isRight = value !== undefined && isRounded(written!, value);
    return isRight ? [] : [`${name}: ${written} of ${scene}, "${what}" [${stat}], is ${value}`];
  });
  expect(wrong).toEqual([]);
});

/** Held by their own tests, or written by a script. */
const ELSEWHERE = /^docs\/(?:versions|reliability|api|commands|command-json|metrics|errors|defaults)\.md$/;
/** What is no measurement: the version of another program, or a number that the program itself has. */
const NOT_MEASURED: Record<string, string[]> = {
  'README.md': ['20.19', '22.12'],
  'docs/alerts.md': ['1.0'],
  'docs/archive.md': ['8'],
  'docs/dashboard.md': ['20', '100'],
  'docs/dead-letters.md': ['20', '0.5'],
  'docs/deploying.md': ['127.0', '0.1'],
  'docs/installing.md': ['5.6'],
  'docs/model.md': ['2.15'],
  'docs/parity.md': ['1.24'],
  'docs/performance.md': ['1.29'],
  'docs/schedules.md': ['20'],
  'docs/time.md': ['1.29'],
  'docs/tutorial.md': ['20.19', '22.12'],
  'docs/why.md': ['1.32', '185'],
};

it('no figure stands in a page without the result that it is of', () => {
  const bare = pages
    .filter(({ name }) => !ELSEWHERE.test(name))
    .flatMap(({ name, text }) => {
      const prose = text
        .replace(/^ *```[\s\S]+?^ *```/gm, '')
        .replaceAll(MARKED, '')
        .replace(/`[^`]*`/g, '');
      const figures = prose.match(FIGURE) ?? [];
      return figures.filter((one) => !NOT_MEASURED[name]?.includes(one)).map((figure) => `${name}: ${figure}`);
    });
  expect(bare).toEqual([]);
});
