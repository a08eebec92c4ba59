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
/** A measured figure: a fraction, or a number with a unit. Seconds that are written in full are settings. */
const FIGURE =
  /\b\d+\.\d+\b|\b\d[\d,]* (?:ms|µs|s|kB|KiB|MB|MiB|GB|GiB|bytes|times|a second|beside)\b|\b\d[\d,]* ?[%×]/g;

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

const pages = ['docs', 'docs/decisions']
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`))
  .concat('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md')
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: unwrapped(readFileSync(join(ROOT, name), 'utf8')) }));

/** A mark may go on in the next line. */
function unwrapped(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, (mark) => mark.replace(/\s+/g, ' '));
}

it('every figure that a page cites from a scene of the bench is the one in its recorded result', () => {
  const cited = pages.flatMap(({ name, text }) =>
    [...text.replace(/`[^`\n]+`/g, '').matchAll(MARKED)].map((match) => ({ name, match })),
  );
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
  'CHANGELOG.md': ['1.1', '0.1', '3.1', '5.6', '1.32', '20 a second'],
  'CONTRIBUTING.md': ['20.19', '22.12', '1.32', '50 ms'],
  'docs/alerts.md': ['1.0', '20 times'],
  'docs/calendars.md': ['100 bytes'],
  'docs/dashboard.md': ['20 times'],
  'docs/dead-letters.md': ['16 KiB'],
  'docs/deploying.md': ['127.0', '0.1'],
  'docs/installing.md': ['5.6', '20.6'],
  'docs/model.md': ['2.15'],
  'docs/parity.md': ['1.24', '255 bytes', '2 MiB'],
  // How long each scene runs.
  'docs/performance.md': ['1.29', '5 s', '10 s', '15 s', '20 s', '30 s', '70 s', '75 s'],
  'docs/running.md': ['30 s'],
  'docs/schedules.md': ['255 bytes'],
  'docs/security.md': ['4 MiB'],
  'docs/tutorial.md': ['20.19', '22.12', '1.25'],
  'docs/why.md': ['1.32', '185 times'],
  'docs/decisions/0005-virtual-time-settles-by-skipping.md': ['1.38'],
  'docs/decisions/0011-knobs.md': ['0.4', '0.8'],
  'docs/decisions/0061-parking-goes-on-last.md': ['1.24'],
  'docs/decisions/0062-local-activities-take-turns.md': ['1.24'],
  'docs/decisions/0063-light-my-request.md': ['6.8'],
};

it('no figure stands in a page or a decision without the result that it is of', () => {
  const figures = pages
    .filter(({ name }) => !ELSEWHERE.test(name))
    .flatMap(({ name, text }) => {
      const prose = text
        .replace(/^ *```[\s\S]+?^ *```/gm, '')
        .replaceAll(MARKED, '')
        .replace(/`[^`]*`/g, '');
      return (prose.match(FIGURE) ?? []).map((figure) => `${name}: ${figure}`);
    });
  const known = Object.entries(NOT_MEASURED).flatMap(([name, own]) => own.map((figure) => `${name}: ${figure}`));
  expect(figures.filter((figure) => !known.includes(figure))).toEqual([]);
  expect(known.filter((figure) => !figures.includes(figure))).toEqual([]);
});
