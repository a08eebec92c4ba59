import { expect, it } from 'vitest';
import { SERVER_METRICS } from '../../server/metrics';
import { useLedger } from '../support/ledger';
import { runCli, spawnCommand } from '../support/processes/child';

const ledger = useLedger();
const WHERE = ['serve', '--port', '0', '--json', '--metrics-host', '127.0.0.1'];

it('escapement serve --metrics-port has each metric of the server, and says that it is alive and ready', async () => {
  const running = runCli([...WHERE, '--metrics-port', '0'], { DATABASE_URL: ledger().databaseUrl });
  const { url: metrics } = JSON.parse(await running.line(/metrics are served/)) as { url: string };
  const { url } = JSON.parse(await running.line(/^\{"url"/)) as { url: string };
  expect((await fetch(`${url}/v1/schedules`)).status).toBe(200);
  expect((await fetch(`${url}/v1/schedules/never`)).status).toBe(404);
  expect((await fetch(`${metrics}/healthz`)).status).toBe(200);
  // It is ready once it has read the schedules, for which no request above waits.
  await expect.poll(async () => (await fetch(`${metrics}/readyz`)).status).toBe(200);
  const scraped = await (await fetch(`${metrics}/metrics`)).text();
  for (const { name, type, help } of Object.values(SERVER_METRICS)) {
    expect(scraped).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
  }
  expect(scraped).toContain('escapement_api_requests_total{route="/v1/schedules",method="GET",status="200"} 1');
  expect(scraped).toContain(
    'escapement_api_requests_total{route="/v1/schedules/{scheduleId}",method="GET",status="404"} 1',
  );
  // The metrics are of their own port alone.
  expect((await fetch(`${url}/metrics`)).status).toBe(404);
  const { port } = new URL(metrics);
  const taken = await spawnCommand([...WHERE, '--metrics-port', port], { DATABASE_URL: ledger().databaseUrl });
  expect(taken).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`metrics cannot be served on 127.0.0.1:${port}`),
  });
  running.kill('SIGTERM');
  expect(await running.ended()).toEqual({ code: 0, signal: null });
});
