import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(__dirname, '../..');
const RESULTS = join(ROOT, 'bench/results');

/** `0.95<!-- sustained: firings closed, of the loop’s workflows completed [min] -->` */
const MARKED = /([\d.,]+)<!-- ([\w-]+): (.+?)(?: \[(min|max)\])? -->/g;
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
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

it('every figure that a page cites from a scene of the bench is the one in its recorded result', () => {
  const cited = pages.flatMap(({ name, text }) => [...text.matchAll(MARKED)].map((match) => ({ name, match })));
  expect(cited.length).toBeGreaterThan(15);
  const wrong = cited.flatMap(({ name, match: [, written, scene, what, stat = 'median'] }) => {
    const value = recorded(scene!, what!)?.[stat as keyof Recorded];
    const isRight = value !== undefined && isRounded(written!, value);
    return isRight ? [] : [`${name}: ${written} of ${scene}, "${what}" [${stat}], is ${value}`];
  });
  expect(wrong).toEqual([]);
});

it('no figure stands in the README, in what bounds performance or on the page on scaling without the result that it is of, but by hand', () => {
  const textOf = (page: string) => pages.find(({ name }) => name === `docs/${page}.md`)!.text;
  const section = /^## What bounds them\n([\s\S]+?)^## /m.exec(textOf('performance'))![1]!;
  const readme = pages[0]!.text.replace(/^```[\s\S]+?^```/gm, '').replace(/\b(?:Node|TypeScript|or|on) [\d.]+/g, '');
  const items = [section, textOf('scaling')]
    .flatMap((text) => text.split(/^- /m))
    .concat(readme.split('\n'))
    .filter((item) => !item.includes('*by hand*'));
  const bare = items.flatMap(
    (item) =>
      item
        .replaceAll(MARKED, '')
        .replace(/`[^`]*`/g, '')
        .match(FIGURE) ?? [],
  );
  expect(bare).toEqual([]);
});
