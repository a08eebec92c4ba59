import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AwsClient } from 'aws4fetch';
import { InvalidOptionError } from '../../core/errors';
import type { ArchivePlace } from './archive-place';
import { errorIn, listing, textOf } from './s3-xml';

export interface S3Options {
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  /** The session token, which only temporary credentials have. */
  sessionToken?: string | undefined;
  /** The region of the bucket. @default us-east-1 */
  region?: string | undefined;
  /** URL of an S3-compatible store, such as MinIO. @default AWS */
  endpoint?: string | undefined;
}

/**
 * The minimum size of each part of an upload, except the last part. S3 allows ten thousand parts, so a file may have 80
 * GB.
 */
const PART_BYTES = 8 * 1024 * 1024;
/** Time limit of a request with its retries. The download of a file has no limit. */
const REQUEST_MILLISECONDS = 120_000;
/** The maximum number of retries of a request that gets the status 429 or 5xx. */
const RETRIES = 5;

/**
 * Objects below a prefix of a bucket: `s3://bucket/prefix`. By S3's guarantee, an object is either complete or absent.
 *
 * @throws {InvalidOptionError} for an invalid address, and without credentials
 */
export function s3Place(where: string, options: S3Options): ArchivePlace {
  const { accessKeyId, secretAccessKey, sessionToken, region = 'us-east-1', endpoint } = options;
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/i.exec(where) ?? [];
  if (!bucket) throw new InvalidOptionError('place', `'${where}' is no address of a bucket; use s3://bucket/prefix`);
  if (!accessKeyId || !secretAccessKey) {
    throw new InvalidOptionError(
      'place',
      "s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; 'aws configure export-credentials --format env' prints them for a profile or a role",
    );
  }
  const prefix = path.replace(/\/+$/, '') === '' ? '' : `${path.replace(/\/+$/, '')}/`;
  const session = sessionToken === undefined ? {} : { sessionToken };
  const signer = new AwsClient({ accessKeyId, secretAccessKey, ...session, region, service: 's3', retries: RETRIES });
  return new S3Place(where, signer, baseOf(bucket, region, endpoint), prefix);
}

/**
 * The URL of a bucket. AWS has a host for each bucket, but its certificate does not cover names with a dot. Other
 * stores usually have one host for all buckets.
 */
function baseOf(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint !== undefined) {
    if (!URL.canParse(endpoint)) throw new InvalidOptionError('place', `'${endpoint}' is no address of a store`);
    return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  }
  return bucket.includes('.')
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
}

class S3Place implements ArchivePlace {
  constructor(
    readonly name: string,
    private readonly signer: AwsClient,
    private readonly base: string,
    private readonly prefix: string,
  ) {}

  async list(): Promise<string[]> {
    const names: string[] = [];
    for (let token: string | undefined; ; ) {
      const behind = token === undefined ? '' : `continuation-token=${encoded(token)}&`;
      // Keys in deeper folders are not part of this archive. With the delimiter, the store leaves them out.
      const query = `?${behind}delimiter=%2F&encoding-type=url&list-type=2&prefix=${encoded(this.prefix)}`;
      const page = listing(await (await this.#ask('GET', query, 'its list')).text());
      names.push(...page.keys.map((key) => key.slice(this.prefix.length)));
      token = page.next;
      if (token === undefined) return names.sort();
    }
  }

  async write(file: string, content: AsyncIterable<Buffer>): Promise<void> {
    let upload: Upload | undefined;
    try {
      for await (const { part, isLast } of partsOf(content)) {
        if (isLast && !upload) {
          await this.#ask('PUT', this.#path(file), file, part);
          return;
        }
        upload ??= await this.#begin(file);
        if (part.length > 0) await upload.add(part);
      }
      await upload!.complete();
    } catch (error) {
      // The upload is aborted, since S3 keeps and charges for the parts of an unfinished upload.
      await upload?.abort().catch(() => undefined);
      throw error;
    }
  }

  async read(file: string): Promise<AsyncIterable<Buffer>> {
    const { body } = await this.#ask('GET', this.#path(file), file, undefined, { isStreamed: true });
    return Readable.fromWeb(body as import('node:stream/web').ReadableStream) as AsyncIterable<Buffer>;
  }

  async #begin(file: string): Promise<Upload> {
    const path = this.#path(file);
    const id = textOf(await (await this.#ask('POST', `${path}?uploads=`, file)).text(), 'UploadId');
    if (id === undefined) throw new Error(`${this.name}: the store gave no ID of an upload of ${file}`);
    const query = (more: string) => `${path}?${more}uploadId=${encoded(id)}`;
    const tags: string[] = [];
    return {
      add: async (part) => {
        const answer = await this.#ask('PUT', query(`partNumber=${tags.length + 1}&`), file, part);
        await answer.arrayBuffer();
        tags.push(answer.headers.get('etag') ?? '');
      },
      complete: async () => {
        const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
        const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
        // S3 may report a failure in the body, after it has sent the status 200.
        const problem = errorIn(await (await this.#ask('POST', query(''), file, body)).text());
        if (problem !== undefined) throw new Error(`${this.name}: ${file} was not stored: ${problem}`);
      },
      abort: async () => {
        await (await this.#ask('DELETE', query(''), file)).arrayBuffer();
      },
    };
  }

  #path(file: string): string {
    return `/${`${this.prefix}${file}`.split('/').map(encoded).join('/')}`;
  }

  async #ask(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    what: string,
    body?: Buffer,
    { isStreamed = false }: { isStreamed?: boolean } = {},
  ): Promise<Response> {
    // The store compares this checksum with the content that it received.
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    let answer: Response;
    try {
      answer = await this.signer.fetch(`${this.base}${path}`, {
        method,
        headers: { 'x-amz-content-sha256': hash },
        ...(body === undefined ? {} : { body }),
        ...(isStreamed ? {} : { signal: AbortSignal.timeout(REQUEST_MILLISECONDS) }),
      });
    } catch (error) {
      const { message, cause } = error as Error & { cause?: Error };
      throw new Error(`${this.name}: ${what}: the store does not answer (${cause?.message ?? message})`, {
        cause: error,
      });
    }
    if (answer.ok) return answer;
    const problem = errorIn(await answer.text()) ?? answer.statusText;
    throw new Error(`${this.name}: ${what}: ${answer.status} ${problem}`);
  }
}

/** Percent-encodes a text for a signature: everything except letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** An upload in parts; the object exists only once the upload is complete. */
interface Upload {
  add(part: Buffer): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
}

async function* partsOf(content: AsyncIterable<Buffer>): AsyncGenerator<{ part: Buffer; isLast: boolean }> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for await (const piece of content) {
    rest.push(piece);
    bytes += piece.length;
    if (bytes < PART_BYTES) continue;
    yield { part: Buffer.concat(rest), isLast: false };
    [rest, bytes] = [[], 0];
  }
  yield { part: Buffer.concat(rest), isLast: true };
}
