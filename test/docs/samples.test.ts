import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packedProject } from '../support/packages/packed-project';
import { type DocBlock, docBlocks, docPages } from '../support/pages/doc-pages';

/**
 * What the samples leave to their readers, with real types: one folder for all pages, and one for each page that needs
 * more.
 */
const GIVEN = join(__dirname, 'samples');
const pages = docPages();
const blocks = docBlocks(pages);
const samples = blocks.filter(({ info }) => /^(ts|typescript)\b/.test(info));
/** Blocks that are no whole statements: `ts fragment: part of a definition` says why. */
const fragments = samples.filter(({ info }) => info.includes('fragment'));

it('every sample in TypeScript compiles in a project that has installed the packed package', async () => {
  const { directory, run } = await packedProject({
    files: {},
    tools: ['typescript', '@types/node', '@types/pg'],
  });
  for (const name of ['given.d.ts', 'others.d.ts']) cpSync(join(GIVEN, name), join(directory, name));
  const files = samples.filter((sample) => !fragments.includes(sample)).map((sample) => write(directory, sample));
  expect(files.length).toBeGreaterThan(30);
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2023'] },
    // A sample awaits at its top, and imports the files beside it as its reader's build allows.
    ...{ module: 'esnext', moduleResolution: 'bundler' },
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ types: ['node'], skipLibCheck: true, noEmit: true },
  };
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['given.d.ts', 'others.d.ts', ...files] }),
  );
  const { code, output } = await run('tsc', ['-p', '.']);
  expect(code, output).toBe(0);
});

it('at most ten blocks opt out, each with its reason', () => {
  expect(fragments.length).toBeLessThan(10);
  for (const { file, line, info } of fragments) expect(info, `${file}:${line}`).toMatch(/^ts fragment: \w+/);
});

it('what pages leave to their readers is what they use, and no more', () => {
  const given = readFileSync(join(GIVEN, 'given.d.ts'), 'utf8');
  const names = [...given.matchAll(/^ {2}const (\w+):/gm)].map(([, name]) => name!);
  const said = samples.map(({ code }) => code).join('\n');
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(said))).toEqual([]);
  const known = new Set(pages.map(({ file }) => folderOf(file)));
  const folders = readdirSync(GIVEN).filter((name) => !name.includes('.'));
  expect(folders.filter((name) => !known.has(name))).toEqual([]);
});

/** A folder with the sample and the files beside it; the path of the sample. */
function write(folder: string, sample: DocBlock): string {
  const { file, line, code } = sample;
  const own = `${folderOf(file)}/${line}`;
  const given = join(GIVEN, folderOf(file));
  mkdirSync(join(folder, own), { recursive: true });
  if (existsSync(given)) cpSync(given, join(folder, own), { recursive: true });
  const preamble = join(given, 'preamble.ts');
  // If a page names a file, its latest version is written beside the other samples of the page.
  for (const other of samples.filter((one) => one.file === file && one !== sample && nameOf(one))) {
    const isLater = other.line > line && existsSync(join(folder, own, nameOf(other)!));
    if (!isLater) writeFileSync(join(folder, own, nameOf(other)!), other.code);
  }
  const name = nameOf(sample) ?? 'sample.ts';
  const before = existsSync(preamble) ? readFileSync(preamble, 'utf8') : '';
  writeFileSync(join(folder, own, name), `${before}${code}\nexport {};\n`);
  return `${own}/${name}`;
}

function nameOf({ code }: DocBlock): string | undefined {
  return /^\/\/ ([\w-]+\.ts)\b/.exec(code)?.[1];
}

/** Such as `docs-leases` of docs/leases.md. */
function folderOf(file: string): string {
  return file.replace(/\.md$/, '').replaceAll('/', '-');
}
