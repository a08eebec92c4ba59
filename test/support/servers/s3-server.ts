import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Credentials that the server accepts. */
export const S3_KEYS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret/of+test' };

/**
 * A store with as much of S3 as archives use. It checks each request's signature by AWS's rules (Signature Version 4),
 * and each body's hash. Its list pages have two keys, so that paging is tested.
 */
export class S3Server {
  /** By bucket and key. */
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  /** Lists that were asked for, each page as one. */
  pages = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const { status, text, body, headers } = await this.#answer(request).catch((error: Error) => ({
        ...{ status: 500, text: error.message, body: undefined, headers: {} },
      }));
      response.writeHead(status, headers).end(body ?? text);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const body = await buffer(request);
    const problem = problemOf(request, body);
    if (problem) return refuse(403, problem);
    const { pathname, searchParams: query } = new URL(request.url!, 'http://x');
    const key = decodeURIComponent(pathname.slice(1));
    const uploadId = query.get('uploadId');
    if (request.method === 'GET' && query.get('list-type') === '2') return this.#list(key, query);
    if (request.method === 'POST' && query.has('uploads')) return this.#begin(key);
    if (uploadId !== null) return this.#upload(request.method!, uploadId, query, body);
    if (request.method === 'PUT') {
      this.objects.set(key, body);
      return { status: 200, text: '' };
    }
    const object = this.objects.get(key);
    return object ? { status: 200, text: '', body: object } : refuse(404, 'NoSuchKey');
  }

  #list(bucket: string, query: URLSearchParams): Answer {
    this.pages++;
    const prefix = `${bucket}/${query.get('prefix') ?? ''}`;
    const after = query.get('continuation-token') ?? '';
    const delimiter = query.get('delimiter');
    // All keys of a deeper folder are listed as one entry: the part that they have in common.
    const entryOf = (key: string) => {
      const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      return end === -1 ? key : key.slice(0, end + 1);
    };
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const entries = [...new Set(keys.map(entryOf))].filter((entry) => entry > after);
    const page = entries.slice(0, 2);
    const rows = page.map((entry) => {
      const name = encodeURIComponent(entry.slice(bucket.length + 1));
      return this.objects.has(entry)
        ? `<Contents><Key>${name}</Key></Contents>`
        : `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`;
    });
    const isCut = entries.length > page.length;
    const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return {
      status: 200,
      text: `<ListBucketResult>${rows.join('')}<IsTruncated>${isCut}</IsTruncated>${next}</ListBucketResult>`,
    };
  }

  #begin(key: string): Answer {
    const id = `${randomUUID()}+/=`;
    this.uploads.set(id, { key, parts: new Map() });
    return {
      status: 200,
      text: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }

  #upload(method: string, id: string, query: URLSearchParams, body: Buffer): Answer {
    const upload = this.uploads.get(id);
    if (!upload) return refuse(404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      return { status: 200, text: '', headers: { etag: tagOf(body) } };
    }
    this.uploads.delete(id);
    if (method === 'DELETE') return { status: 204, text: '' };
    const asked = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
    const parts = asked.map(([, number, tag]) => {
      const part = upload.parts.get(Number(number));
      return part && tagOf(part) === tag ? part : undefined;
    });
    // S3 sends the status 200 before it knows the error, so the error is in the body.
    if (parts.some((part) => part === undefined)) return { ...refuse(200, 'InvalidPart') };
    this.objects.set(upload.key, Buffer.concat(parts as Buffer[]));
    return { status: 200, text: '<CompleteMultipartUploadResult/>' };
  }
}

interface Answer {
  status: number;
  text: string;
  body?: Buffer | undefined;
  headers?: Record<string, string>;
}

function refuse(status: number, code: string): Answer {
  return { status, text: `<Error><Code>${code}</Code><Message>by the test</Message></Error>` };
}

function tagOf(part: Buffer): string {
  return `"${createHash('md5').update(part).digest('hex')}"`;
}

/** What is wrong with a request's signature. */
function problemOf({ method, url, headers }: IncomingMessage, body: Buffer): string | undefined {
  const read =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, keyId, day, region, signed, signature] = read.exec(headers.authorization ?? '') ?? [];
  if (!signature || keyId !== S3_KEYS.accessKeyId) return 'AccessDenied';
  const hash = createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch';
  const [path, search = ''] = url!.split('?');
  const query = search.split('&').filter(Boolean).sort().join('&');
  const names = signed!.split(';');
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name))) return 'AccessDenied';
  const lines = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, path, query, lines, signed, hash].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, createHash('sha256').update(canonical).digest('hex')];
  const sign = (key: string | Buffer, value: string) => createHmac('sha256', key).update(value).digest();
  const steps = [day!, region!, 's3', 'aws4_request'];
  const key = steps.reduce<string | Buffer>((former, step) => sign(former, step), `AWS4${S3_KEYS.secretAccessKey}`);
  return sign(key, text.join('\n')).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
