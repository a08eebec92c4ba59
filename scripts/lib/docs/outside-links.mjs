import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../project.mjs';
import { linksOf } from './headings.mjs';

/** The number of requests in parallel. With more, a site that many links name might take them for an attack. */
const AT_ONCE = 8;
/**
 * Statuses by which a site says that the page is not there. Others, such as 403 and 429, may only mean that this
 * program may not ask.
 */
const GONE = [404, 410];

/** The links to other sites in pages and docstrings, each with the files that have it. */
export function outsideLinks() {
  const found = new Map();
  const add = (file, links) => {
    for (const link of links) {
      const [address] = link.split('#');
      if (/^https?:/.test(address)) found.set(address, [...new Set([...(found.get(address) ?? []), file])]);
    }
  };
  const read = (file) => readFileSync(join(ROOT, file), 'utf8');
  for (const file of pages()) add(file, linksOf(read(file)));
  for (const file of sources()) add(file, read(file).match(/(?<=@see .*)https?:[^\s*]*[^\s*,;.)]/g) ?? []);
  return found;
}

/**
 * Ask each link once. A link fails if its site says that the page is gone. If a site does not answer, this is reported,
 * and counts as a failure only if an answer is required. Work must go on without a network, but a release must not.
 *
 * @param {{ links?: Map<string, string[]>, isRequired?: boolean, limitMilliseconds?: number }} options
 * @returns {Promise<{ code: number, output: string, note: string }>}
 */
export async function askOutsideLinks({ links = outsideLinks(), isRequired = false, limitMilliseconds = 10_000 } = {}) {
  const left = [...links.keys()];
  const gone = [];
  const unanswered = [];
  const askRest = async () => {
    for (let link = left.shift(); link !== undefined; link = left.shift()) {
      const where = links.get(link).join(', ');
      const { status, why } = await statusOf(link, limitMilliseconds);
      if (why !== undefined) unanswered.push(`${where}: ${link}: ${why}`);
      else if (GONE.includes(status)) gone.push(`${where}: ${link}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askRest));
  const note = `${links.size} links`;
  if (unanswered.length === 0) return { code: gone.length === 0 ? 0 : 1, output: gone.join('\n'), note };
  const isFailure = isRequired || gone.length > 0;
  return {
    code: isFailure ? 1 : 0,
    output: isFailure ? [...gone, ...unanswered].join('\n') : '',
    note: `NOT DONE, ${unanswered.length} of ${note} had no answer: ${unanswered[0]}`,
  };
}

/** Some sites answer HEAD wrongly. So if the answer to HEAD is an error, the result of GET counts. */
async function statusOf(link, limitMilliseconds) {
  try {
    const head = await ask('HEAD', link, limitMilliseconds);
    return head.ok ? head : await ask('GET', link, limitMilliseconds);
  } catch (error) {
    return { why: error.cause?.code ?? error.cause?.message ?? error.message };
  }
}

async function ask(method, link, limitMilliseconds) {
  const response = await fetch(link, { method, signal: AbortSignal.timeout(limitMilliseconds) });
  await response.body?.cancel();
  return response;
}

function pages() {
  const inside = (folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
  const all = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'bench/README.md',
    ...inside('docs'),
    ...inside('docs/decisions'),
  ];
  return all.filter((name) => name.endsWith('.md'));
}

function sources() {
  return execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
}
