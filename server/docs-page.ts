import { createHash } from 'node:crypto';
import type { OpenApiDocument } from './openapi';

const SCRIPT = `
const base = document.body.dataset.base;
const token = document.getElementById('token');
token.value = sessionStorage.getItem('token') ?? '';
token.addEventListener('change', () => sessionStorage.setItem('token', token.value));
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { method, path } = form.dataset;
    const query = new URLSearchParams();
    const headers = {};
    let url = path;
    for (const input of form.querySelectorAll('input')) {
      if (input.value === '') continue;
      if (input.dataset.in === 'path') url = url.replace('{' + input.name + '}', encodeURIComponent(input.value));
      else if (input.dataset.in === 'header') headers[input.name] = input.value;
      else query.set(input.name, input.value);
    }
    if (token.value) headers.authorization = 'Bearer ' + token.value;
    const body = form.querySelector('textarea')?.value;
    if (body) headers['content-type'] = 'application/json';
    const out = form.querySelector('output');
    try {
      const answer = await fetch(base + url + (query.size ? '?' + query : ''), { method, headers, body: body || undefined });
      const text = await answer.text();
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch {}
      const etag = answer.headers.get('etag');
      out.textContent = answer.status + ' ' + answer.statusText + (etag ? '\\nETag: ' + etag : '') + '\\n\\n' + shown;
    } catch (error) {
      out.textContent = String(error);
    }
  });
}
`;

const STYLE = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .3rem 0; }
code, pre, output, textarea { font-family: ui-monospace, monospace; }
label { display: block; margin: .4rem 0; }
input, textarea { width: 100%; box-sizing: border-box; font-size: 1rem; }
textarea { min-height: 8rem; }
output, pre { display: block; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('base64');

/** These headers allow only this page's own script and style, and connections to this server. */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'sha256-${sha256(SCRIPT)}'`,
    `style-src 'sha256-${sha256(STYLE)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

interface Described {
  summary: string;
  description?: string;
  parameters: { name: string; in: string; required: boolean; description?: string }[];
  requestBody?: { content: Record<string, { schema: unknown }> };
  'x-scope': string;
}

export function docsPage(document: OpenApiDocument, basePath: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => sectionOf(method, path, operation as unknown as Described)),
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Escapement: the HTTP API</title><style>${STYLE}</style></head>
<body data-base="${escaped(basePath)}">
<h1>The HTTP API of Escapement</h1>
<p>As <a href="${escaped(basePath)}/openapi.json">OpenAPI 3.1</a>. Errors are problems, as RFC 9457 has them.</p>
<label>Bearer token, where the server asks for one <input id="token" type="password" autocomplete="off"></label>
${operations.join('\n')}
<script>${SCRIPT}</script>
</body></html>
`;
}

function sectionOf(method: string, path: string, operation: Described): string {
  const { summary, description, parameters, requestBody } = operation;
  const fields = parameters.map(
    ({ name, in: place, required, description: what }) =>
      `<label>${escaped(name)}${required ? '' : ' (optional)'}${what ? `: ${escaped(what)}` : ''}
<input name="${escaped(name)}" data-in="${place}"${required ? ' required' : ''}></label>`,
  );
  const body = requestBody ? `<label>Body, in JSON <textarea spellcheck="false"></textarea></label>` : '';
  return `<details><summary><code>${method.toUpperCase()} ${escaped(path)}</code> ${escaped(summary)}</summary>
${description ? `<p>${escaped(description)}</p>` : ''}<p>Scope: ${operation['x-scope']}</p>
<form data-method="${method.toUpperCase()}" data-path="${escaped(path)}">
${fields.join('\n')}${body}<button>Send</button><output></output></form></details>`;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
