import { beforeAll, expect, it } from 'vitest';
import { run } from '../../provision/run';
import { ensureProgram } from '../support/servers/debian-program';

beforeAll(async () => {
  await ensureProgram('java', 'default-jre-headless');
  await ensureProgram('pip3', 'python3-pip');
});

it('the model holds in each scenario, and breaks without each of its guards', async () => {
  const { code, output } = await run(process.execPath, ['scripts/model.mjs']);
  expect(output).not.toContain('FAILED');
  expect(code).toBe(0);
}, 1_800_000);
