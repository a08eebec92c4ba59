import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openProxy } from '../../chaos/world/proxy';

it('a way that is slow now and then delivers all answers in order', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const way = await openProxy(onTestFinished, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  const accepted = once(server, 'connection');
  const [host, port] = way.address.split(':');
  const client = connect(Number(port), host);
  const [answers] = await accepted;
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
