import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openProxy } from '../../chaos/world/proxy';

/** A way to a server, and connections over this way, each with the server's end. */
async function openWay() {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const way = await openProxy(onTestFinished, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const open = async () => {
    const accepted = once(server, 'connection');
    const [host, port] = way.address.split(':');
    const client = connect(Number(port), host);
    const [answers] = (await accepted) as [Socket];
    return { client, answers };
  };
  return { way, open };
}

it('a way that is slow now and then delivers all answers in order', async () => {
  const { way, open } = await openWay();
  const { client, answers } = await open();
  const numbers = Array.from({ length: 200 }, (_, index) => `${index} `);
  for (const [index, number] of numbers.entries()) {
    if (index % 10 === 0) way.slow(20);
    if (index % 10 === 5) way.restore();
    answers.write(number);
    await setImmediate();
  }
  const expected = numbers.join('');
  let received = '';
  for await (const part of client) {
    received += part;
    if (received.length === expected.length) break;
  }
  expect(received).toBe(expected);
});

it('connections that would stay silent are dropped, and no others', async () => {
  const { way, open } = await openWay();
  const silent = await open();
  way.silence();
  const other = await open();
  const closed = once(silent.client, 'close');
  way.dropSilent();
  await closed;
  other.answers.write('here');
  const [data] = await once(other.client, 'data');
  expect(String(data)).toBe('here');
});
