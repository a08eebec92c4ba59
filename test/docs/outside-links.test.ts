import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
// @ts-expect-error: a script has no types
import { askOutsideLinks, outsideLinks } from '../../scripts/lib/docs/outside-links.mjs';

/** A site whose pages are there, moved, gone, refuse HEAD or do not answer; `asked` has each request. */
async function site() {
  const asked: string[] = [];
  const answers: Record<string, RequestListener> = {
    '/there': (_, response) => response.end('a page'),
    '/moved': (_, response) => response.writeHead(301, { location: '/there' }).end(),
    '/gone': (_, response) => response.writeHead(410).end(),
    '/busy': (_, response) => response.writeHead(429).end(),
    '/no-head': ({ method }, response) => response.writeHead(method === 'HEAD' ? 404 : 200).end(),
    '/cut': ({ socket }) => socket.destroy(),
    '/silent': () => {},
  };
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answer = answers[request.url!];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const close = () => new Promise<void>((closed) => void server.close(() => closed()).closeAllConnections());
  onTestFinished(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const links = (...paths: string[]) => new Map(paths.map((path) => [`${url}${path}`, ['docs/a.md', 'docs/b.md']]));
  return { asked, url, links, close };
}

it('finds the links to other sites in pages and docstrings, each once, with the files that have it', () => {
  const found: Map<string, string[]> = outsideLinks();
  expect(found.size).toBeGreaterThan(20);
  expect(found.get('https://semver.org/')).toEqual(['CHANGELOG.md', 'docs/versions.md']);
  expect(found.get('https://docs.temporal.io/schedule')).toContain('core/decisions/overlap.ts');
  expect([...found.keys()].filter((link) => /[,;.)]$|#|127\.0\.0\.1|localhost/.test(link))).toEqual([]);
});

it('a link is asked once, and passes unless its site says that the page is gone', async () => {
  const { links, asked } = await site();
  expect(await askOutsideLinks({ links: links('/there', '/moved', '/no-head', '/busy'), isRequired: true })).toEqual({
    code: 0,
    output: '',
    note: '4 links',
  });
  expect(asked.filter((request) => request.endsWith('/no-head'))).toEqual(['HEAD /no-head', 'GET /no-head']);
  expect(asked.filter((request) => request.endsWith('/moved'))).toEqual(['HEAD /moved']);
});

it('a link whose page is gone fails, with the pages that have it', async () => {
  const { links, url } = await site();
  const { code, output } = await askOutsideLinks({ links: links('/there', '/missing', '/gone') });
  expect(code).toBe(1);
  expect(output.split('\n').toSorted()).toEqual([
    `docs/a.md, docs/b.md: ${url}/gone: 410`,
    `docs/a.md, docs/b.md: ${url}/missing: 404`,
  ]);
});

it('says that it is not done where a site does not answer, which fails only where answers are required', async () => {
  const { links, url, close } = await site();
  const some = { links: links('/there', '/cut') };
  const said = `NOT DONE, 1 of 2 links had no answer: docs/a.md, docs/b.md: ${url}/cut: `;
  expect(await askOutsideLinks(some)).toEqual({ code: 0, output: '', note: expect.stringContaining(said) });
  const required = await askOutsideLinks({ ...some, isRequired: true });
  expect(required).toMatchObject({ code: 1, output: expect.stringContaining('/cut') });
  // One that is gone fails, whatever the others answer.
  expect(await askOutsideLinks({ links: links('/cut', '/gone') })).toMatchObject({ code: 1 });
  expect(await askOutsideLinks({ links: links('/silent'), limitMilliseconds: 50 })).toMatchObject({ code: 0 });
  await close();
  const away = { links: links('/there') };
  expect(await askOutsideLinks(away)).toMatchObject({
    code: 0,
    note: expect.stringMatching(/^NOT DONE, 1 of 1 links/),
  });
  expect(await askOutsideLinks({ ...away, isRequired: true })).toMatchObject({ code: 1 });
});
