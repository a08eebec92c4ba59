import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
// @ts-expect-error: a script has no types
import { entryPoints } from '../../../scripts/lib/docs/entry-points.mjs';
// @ts-expect-error: a script has no types
import { serveFolder } from '../../../scripts/lib/docs/serve-folder.mjs';
// @ts-expect-error: a script has no types
import { sitePages } from '../../../scripts/lib/docs/site-pages.mjs';
import { publicEntries, ts } from '../../support/packages/public-exports';
import { ensureProgram, pathOfProgram } from '../../support/servers/debian-program';

const ROOT = resolve(__dirname, '../../..');
const SITE = join(ROOT, 'site/dist');
/** What a test saw, for people: not in the repository. */
const SHOTS = join(ROOT, '.cache/docs-site');
const PAGES: string[] = Object.values(sitePages());
const ENTRIES: { name: string; page: string }[] = entryPoints();
const read = (path: string) => readFileSync(join(SITE, path), 'utf8');

let server: { url: string; close(): Promise<void> };
let browser: Browser;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['scripts/docs.mjs', '--build'], { cwd: ROOT });
  server = await serveFolder(SITE);
  await ensureProgram('chromium');
  mkdirSync(SHOTS, { recursive: true });
  browser = await chromium.launch({ executablePath: await pathOfProgram('chromium'), args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

it('the site has every page, with its Markdown beside it, and llms.txt names each', () => {
  expect(PAGES.length).toBeGreaterThan(55);
  const missing = PAGES.flatMap((page) => [page, page.replace(/\.md$/, '.html')]).filter(
    (file) => !existsSync(join(SITE, file)),
  );
  expect(missing).toEqual([]);
  const listed = [...read('llms.txt').matchAll(/^- \[[^\]]+\]\(([^)]+)\): /gm)].map(([, page]) => page!);
  const outside = ['index.md', 'changelog.md', 'contributing.md', 'bench.md'];
  const entries = ENTRIES.map(({ page }) => page);
  expect(listed.toSorted()).toEqual([...PAGES.filter((page) => !outside.includes(page)), ...entries].toSorted());
  expect(read('llms-full.txt').length).toBeGreaterThan(200_000);
});

it('each link within the site leads to a page or a file of it, and to a heading that is there', () => {
  const ids = new Map<string, Set<string>>();
  const idsOf = (page: string) => {
    if (!ids.has(page))
      ids.set(page, new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => decoded(id!))));
    return ids.get(page)!;
  };
  const pages = (readdirSync(SITE, { recursive: true }) as string[]).filter((file) => file.endsWith('.html'));
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/<(?:a|link|script|img)\b[^>]*? (?:href|src)="([^"]+)"/g)]
      .map(([, target]) => decoded(target!))
      .filter((target) => !/^(?:[a-z]+:|\/\/)/.test(target))
      .filter((target) => {
        const [path, anchor] = target.split('#') as [string, string | undefined];
        const there = path === '' ? page : path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path);
        const file = [there, `${there}.html`, posix.join(there, 'index.html')].find(isFileOfSite);
        if (!file) return true;
        return anchor !== undefined && anchor !== '' && !idsOf(file).has(decodeURIComponent(anchor));
      })
      .map((target) => `${page}: ${target}`),
  );
  expect(pages.length).toBeGreaterThan(PAGES.length);
  expect(broken).toEqual([]);
});

it('the reference has each export of each entry, with the first sentence of its docstring, and nothing internal', () => {
  const { entries, checker } = publicEntries();
  // What is exported again from another package has its reference there.
  const isOurs = ({ declarations = [] }: { declarations?: { getSourceFile(): { fileName: string } }[] }) =>
    declarations.some((node) => node.getSourceFile().fileName.startsWith(join(ROOT, 'dist/')));
  expect(entries.map(({ path }) => `escapement${path.slice(1)}`)).toEqual(ENTRIES.map(({ name }) => name));
  const wrong = entries.flatMap(({ exported }, at) => {
    const entry = ENTRIES[at]!;
    const index = read(entry.page).replaceAll('\\_', '_');
    return exported
      .filter(({ symbol }) => isOurs(symbol))
      .flatMap(({ name, symbol }) => {
        const [, target] = new RegExp(`\\[${name}\\]\\(([^)]+\\.md)\\)`).exec(index) ?? [];
        const page = target && posix.join(posix.dirname(entry.page), target);
        if (!page || !existsSync(join(SITE, page.replace(/\.md$/, '.html'))))
          return `${entry.name}: ${name} is not there`;
        const text = read(page);
        const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
        const internal = [...(symbol.members?.values() ?? []), ...(symbol.exports?.values() ?? [])]
          .filter((member) => member.getJsDocTags(checker).some((tag) => tag.name === 'internal'))
          .filter((member) => new RegExp(`^### ${member.name}\\b`, 'm').test(text));
        const shown = internal.map((member) => `${name}.${member.name} is internal`);
        return plain(text).includes(plain(firstSentence(comment))) ? shown : [`${name}: ${comment}`, ...shown];
      });
  });
  expect(wrong).toEqual([]);
  expect(entries.flatMap(({ exported }) => exported).length).toBeGreaterThan(300);
});

it('an option is found from the page of the TypeScript API, and its class leads to the page that says more', async () => {
  const page = await open('typescript.html');
  const main = page.locator('main');
  await main.getByRole('link', { name: 'escapement/trigger', exact: true }).click();
  await main.getByRole('link', { name: 'TriggerOptions', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'TriggerOptions' }).waitFor();
  await page.getByRole('heading', { level: 3, name: 'startsInFlight' }).waitFor();
  await page.screenshot({ path: join(SHOTS, 'reference.png') });
  await page.goto(`${server.url}reference/escapement/trigger/classes/Trigger.html`);
  await main.getByRole('link', { name: 'How Escapement works' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'How Escapement works' }).waitFor();
});

it('a page found by search is read in dark and in light, and nothing is asked of another address', async () => {
  const page = await open('');
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('pgbouncer');
  const found = page.locator('#localsearch-list a[href*="postgres"]').first();
  await found.waitFor();
  await page.screenshot({ path: join(SHOTS, 'search.png') });
  await found.click();
  await page.getByRole('heading', { level: 1, name: 'Postgres' }).waitFor();
  await page.screenshot({ path: join(SHOTS, 'light.png') });
  const isDark = () => page.evaluate("document.documentElement.classList.contains('dark')");
  expect(await isDark()).toBe(false);
  await page.getByRole('switch').first().click();
  expect(await isDark()).toBe(true);
  await page.screenshot({ path: join(SHOTS, 'dark.png') });
});

it('diagrams are drawn, and a sample is copied by its button', async () => {
  const page = await open('architecture.html', { colorScheme: 'dark' });
  await page.locator('.diagram svg').nth(1).waitFor();
  expect(await page.locator('.diagram svg').count()).toBe(2);
  await page.screenshot({ path: join(SHOTS, 'diagrams.png') });
  await page.goto(`${server.url}upgrading.html`);
  await page.getByRole('button', { name: 'Copy Code' }).first().click();
  await page.locator('button.copy.copied').first().waitFor();
});

it('is read on a phone', async () => {
  const page = await open('time.html', { viewport: { width: 390, height: 800 } });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.screenshot({ path: join(SHOTS, 'phone.png') });
  // Wide tables and samples scroll by themselves: the page does not.
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
});

/** It fails the test where a request leaves the site, finds nothing, or a script throws. */
async function open(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: 'light', ...options });
  const wrong: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !/^(?:data|blob):/.test(request.url())) wrong.push(request.url());
  });
  page.on('response', (response) => response.status() >= 400 && wrong.push(`${response.status()} ${response.url()}`));
  page.on('pageerror', (error) => wrong.push(error.message));
  onTestFinished(async () => {
    await page.close();
    expect(wrong).toEqual([]);
  });
  await page.goto(server.url + path);
  return page;
}

function isFileOfSite(path: string): boolean {
  return /\.\w+$/.test(path) && existsSync(join(SITE, path));
}

function decoded(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.!?])\s|; see `docs/)[0]!;
}

/** The words of a docstring or of Markdown, without links and marks. */
function plain(text: string): string {
  return text
    .replace(/\{@link ([^}|]+?)\s*(?:\|[^}]*)?\}/g, '$1')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[\\`*]/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/\s+/g, ' ');
}
