import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { archive } from '../../owner/archive/archive';
import { restore } from '../../owner/archive/restore';
import { type S3Options, s3Place } from '../../owner/archive/s3';
import { someSchedule, useLedger } from '../support/ledger';
import { runCommand } from '../support/processes/command';
import { S3_KEYS, S3Server } from '../support/servers/s3-server';

const ledger = useLedger('2026-06-15T00:30:00Z');
const options = () => ({ now: () => new Date(ledger().clock.now()), onProgress: () => undefined });
const postgres = () => ({ connectionString: ledger().databaseUrl });
const MEGABYTE = 1024 * 1024;

async function started(): Promise<{ store: S3Server; s3: S3Options }> {
  const store = new S3Server();
  const endpoint = await store.listen();
  onTestFinished(() => store.close());
  return { store, s3: { ...S3_KEYS, endpoint } };
}

/** A retired month with a firing a day. */
async function retired(): Promise<void> {
  await ledger().client.create(someSchedule({ scheduleId: 'nightly', spec: { cron: '0 0 * * *' } }));
  await ledger().query(`
    update escapement.schedule_versions set created_at = '2025-01-01T00:00:00Z';
    select escapement.ensure_partition('2025-10-01Z'::timestamptz);
    insert into escapement.firings (schedule_id, scheduled_time, state, outcome, kind, namespace, schedule_version, claimed_at, closed_at)
      select 'nightly', t, 'closed', 'completed', 'schedule', 'default', 1, t, t
      from generate_series('2025-10-01Z'::timestamptz, '2025-10-20Z', '1 day') t;
    select escapement.retire_partition('2025-10-01Z'::timestamptz)`);
}

async function* piecesOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 300_000) yield content.subarray(at, at + 300_000);
}

async function whole(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const part of parts) read.push(part);
  return Buffer.concat(read);
}

it('a month goes to a bucket, is read back, dropped, listed, shown and restored, by the command and its environment', async () => {
  const { store, s3 } = await started();
  await retired();
  const environment = {
    DATABASE_URL: ledger().databaseUrl,
    AWS_ACCESS_KEY_ID: s3.accessKeyId!,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey!,
    AWS_ENDPOINT_URL: s3.endpoint!,
    AWS_REGION: 'eu-central-1',
  };
  const run = (...args: string[]) => runCommand(['archive', ...args], environment);
  const place = 's3://archives/ledger/one';
  expect(await run(place, '--drop')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^2025-10: 20 firings, 0 gaps, 0 letters in \d+ bytes; written and read back, dropped\.$/,
    ),
  });
  expect([...store.objects.keys()].sort()).toEqual(
    ['2025-10.firings.ndjson.gz', '2025-10.gaps.ndjson.gz', '2025-10.json', '2025-10.letters.ndjson.gz'].map(
      (file) => `archives/ledger/one/${file}`,
    ),
  );
  expect((await run('list', place)).stdout).toMatch(/2025-10 +20 +0 +0 /);
  expect((await run('list', 's3://archives/ledger/other')).stdout).not.toContain('2025-10');
  expect((await run('show', place, '--schedule', 'nightly', '--to', '2025-10-02')).stdout).toBe(
    '2025-10-01T00:00:00+00:00 nightly schedule closed completed',
  );
  expect((await run('restore', place, '--month', '2025-10')).stdout).toContain('20 firings, 0 gaps, 0 letters.');
  expect(await ledger().client.getHandle('nightly').explain('2025-10-03T00:00:00Z')).toMatchObject({
    answer: 'firing',
  });
  const none = await runCommand(['archive', 'list', place], {});
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('s3:// needs AWS_ACCESS_KEY_ID') });
});

it('nothing is dropped where the bucket has other than what was written', async () => {
  const { store, s3 } = await started();
  await retired();
  await archive(postgres(), 's3://archives', { ...options(), s3 });
  const file = 'archives/2025-10.firings.ndjson.gz';
  const stored = store.objects.get(file)!;
  store.objects.set(file, Buffer.concat([stored.subarray(0, -20)]));
  const again = () => archive(postgres(), 's3://archives', { ...options(), s3, drop: true });
  await expect(again()).rejects.toMatchObject({ name: 'ArchiveDamagedError' });
  store.objects.delete(file);
  await expect(again()).rejects.toThrow('404 NoSuchKey');
  await expect(
    restore(postgres(), 's3://archives', { ...options(), s3, month: '2025-10', keepMilliseconds: 1 }),
  ).rejects.toThrow('404 NoSuchKey');
  expect(await ledger().query('select count(*)::int from escapement.archived_firings_202510')).toEqual([{ count: 20 }]);
  store.objects.set(file, stored);
  expect((await again()).months).toMatchObject([{ dropped: true, written: false }]);
});

it('a file of several parts is there whole or not at all, and what ends in the middle leaves no parts behind', async () => {
  const { store, s3 } = await started();
  const place = s3Place('s3://archives/big', s3);
  for (const bytes of [0, 1, 8 * MEGABYTE, 21 * MEGABYTE + 7]) {
    const content = randomBytes(bytes);
    await place.write('file', piecesOf(content));
    expect(hashOf(await whole(await place.read('file')))).toBe(hashOf(content));
  }
  const broken = async function* () {
    yield* piecesOf(randomBytes(20 * MEGABYTE));
    throw new Error('killed');
  };
  await expect(place.write('other', broken())).rejects.toThrow('killed');
  expect(await place.list()).toEqual(['file']);
  expect(store.uploads.size).toBe(0);
});

it('a list names the files of its own folder, without a walk through the deeper folders of the bucket', async () => {
  const { store, s3 } = await started();
  for (let file = 0; file < 20; file++) store.objects.set(`archives/ledger/deeper/${file}.json`, Buffer.from('x'));
  for (const file of ['2025-10.json', 'z.json']) store.objects.set(`archives/ledger/${file}`, Buffer.from('x'));
  expect(await s3Place('s3://archives/ledger', s3).list()).toEqual(['2025-10.json', 'z.json']);
  // Three entries: two files and one folder.
  expect(store.pages).toBe(2);
});

it('names with odd letters, and credentials that are not taken', async () => {
  const { s3 } = await started();
  const place = s3Place("s3://archives/a b/ü+!'(*)", s3);
  await place.write('2025-10 &.json', piecesOf(Buffer.from('x')));
  expect(await place.list()).toEqual(['2025-10 &.json']);
  expect((await whole(await place.read('2025-10 &.json'))).toString()).toBe('x');
  const wrong = s3Place('s3://archives', { ...s3, secretAccessKey: 'other' });
  await expect(wrong.list()).rejects.toThrow('s3://archives: its list: 403 SignatureDoesNotMatch');
  const nobody = s3Place('s3://archives', { ...s3, endpoint: 'http://127.0.0.1:1' });
  await expect(nobody.read('x')).rejects.toThrow('the store does not answer');
});

const refused = ['s3://', 's3:///prefix', 's3://-x/', 's3://UP_PER/x'];
it.each(refused)('an address that names no bucket is refused: %s', (where) => {
  expect(() => s3Place(where, S3_KEYS)).toThrow(expect.objectContaining({ path: 'place' }));
});

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** moto is a store of other makers. It is tried where this machine has it. */
const hasMoto = spawnSync('python3', ['-c', 'import moto.server, flask']).status === 0;
if (hasMoto)
  describe('on moto', () => {
    let child: ChildProcess;
    let s3: S3Options;
    beforeAll(async () => {
      const port = await freePort();
      child = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await new Promise<void>((resolve, reject) => {
        child.on('exit', () => reject(new Error('moto ended')));
        child.stderr!.on('data', (text: Buffer) => text.includes('Running on') && resolve());
      });
      s3 = { ...S3_KEYS, endpoint: `http://127.0.0.1:${port}` };
      await new AwsClient({ ...S3_KEYS, service: 's3', region: 'us-east-1' }).fetch(`${s3.endpoint}/archives`, {
        method: 'PUT',
      });
    });
    afterAll(() => child.kill());

    it('files of one part and of several are written, listed over pages and read back', async () => {
      const place = s3Place('s3://archives/of/one', s3);
      const big = randomBytes(17 * MEGABYTE);
      await place.write('big', piecesOf(big));
      for (const name of ['2025-10.json', 'a b+&.json']) await place.write(name, piecesOf(Buffer.from(name)));
      await s3Place('s3://archives/of/one/deeper', s3).write('2025-11.json', piecesOf(Buffer.from('x')));
      expect(await place.list()).toEqual(['2025-10.json', 'a b+&.json', 'big']);
      expect(hashOf(await whole(await place.read('big')))).toBe(hashOf(big));
      await expect(place.read('nothing')).rejects.toThrow('404 NoSuchKey');
    });
  });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
