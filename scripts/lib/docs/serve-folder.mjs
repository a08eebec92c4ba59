import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/**
 * Serves the files of a folder on this machine alone.
 *
 * @returns its address, and how to stop it
 */
export function serveFolder(folder, port = 0) {
  const server = createServer((request, response) => {
    const file = fileOf(folder, request.url);
    const path = file ?? join(folder, '404.html');
    response.writeHead(file ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' });
    createReadStream(path).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const close = () => new Promise((closed) => server.close(closed).closeAllConnections());
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, close });
    });
  });
}

function fileOf(folder, url) {
  const path = normalize(join(folder, decodedPath(url)));
  if (!path.startsWith(folder + sep) && path !== folder) return undefined;
  return [path, `${path}.html`, join(path, 'index.html')].find(isFile);
}

function decodedPath(url) {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return '/404';
  }
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
