import { expect, inject, vi } from 'vitest';
import { proxyOf } from '../support/connections/proxy';
import { everySecond, type TestLedger } from '../support/ledger';
import { runCli } from '../support/processes/child';

/** `escapement run`, started while Temporal refuses connections, or accepts them and never answers. */
export async function startInAnOutage(ledger: TestLedger, how: 'cut' | 'hang'): Promise<void> {
  const proxy = await proxyOf(inject('temporalAddress'));
  proxy[how]();
  const { scheduleId } = await ledger.newClient({ now: undefined }).create(everySecond());
  const trigger = runCli(['run', '--metrics-port', '0'], {
    DATABASE_URL: ledger.databaseUrl,
    TEMPORAL_ADDRESS: proxy.address,
  });
  const { url } = JSON.parse(await trigger.line(/metrics are served/)) as { url: string };
  const page = async (path: string) => {
    const response = await fetch(new URL(path, url));
    return { status: response.status, text: await response.text() };
  };
  expect(JSON.parse(await trigger.line(/connect pass failed/))).toMatchObject({
    level: 'warn',
    error: expect.stringContaining(`Temporal cannot be reached at ${proxy.address}`),
  });
  await trigger.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"claimed"`));
  expect(await page('/healthz')).toMatchObject({ status: 200 });
  expect(await page('/readyz')).toMatchObject({
    status: 503,
    text: expect.stringMatching(/Temporal has not answered .*cannot be reached at/),
  });

  proxy.restore();
  await trigger.line(new RegExp(`"scheduleId":"${scheduleId}".*"msg":"linked"`));
  await trigger.line(/connect pass works again/);
  await vi.waitFor(async () => expect(await page('/readyz')).toMatchObject({ status: 200 }), 60_000);
  trigger.kill('SIGTERM');
  expect(await trigger.ended()).toEqual({ code: 0, signal: null });
}
