import { describe, expect, inject, it } from 'vitest';
import { runCommand } from '../support/processes/command';
import { auditScene, expectAudited } from '../support/scenes/audit-scene';
import { useWorker } from '../support/temporal';

const worker = useWorker({ ownNamespace: true });
const audit = (...args: string[]) =>
  runCommand(['audit', '--native', ...args], {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: worker().namespace,
  });

describe('escapement audit --native', () => {
  it('says of each due time what became of it, without any database', async () => {
    const { client, namespace, taskQueue } = worker();
    const scene = await auditScene(client, inject('temporalAddress'), namespace, taskQueue);
    await expectAudited(client, scene);

    const from = scene.from.toISOString();
    const words = await audit('--from', from, '--to', scene.to.toISOString(), '--late-after', '700ms');
    expect(words.code).toBe(1);
    expect(words.stdout).toMatch(
      /^pau'sed\n( {2}\S+Z {2}.*\n)* {2}\S+Z {2}missed +no workflow was started, and none of/m,
    );
    expect(words.stdout).toMatch(/^SCHEDULE +DUE +ON TIME +LATE +DELAYED BY OVERLAP +SKIPPED BY OVERLAP/m);
    expect(words.stdout).toMatch(/\n\d+ of \d+ due times were missed\./);

    const ofOne = ['--from', from, '--to', scene.to.toISOString(), '--query', "ScheduleId = 'steady'", '--json'];
    const one = await audit(...ofOne);
    expect(one.code).toBe(0);
    expect(JSON.parse(one.stdout.split('\n').at(-1)!)).toMatchObject({ schedules: 1, counts: { missed: 0 } });

    const isTerminal = { out: process.stdout.isTTY, err: process.stderr.isTTY };
    process.stderr.isTTY = true;
    try {
      const piped = await audit(...ofOne);
      expect(piped.stderr, 'progress beside lines that go elsewhere').toContain('due times audited');
      process.stdout.isTTY = true;
      const shown = await audit(...ofOne);
      expect(shown.stderr, 'no progress between lines on the same terminal').toBe('');
    } finally {
      process.stdout.isTTY = isTerminal.out;
      process.stderr.isTTY = isTerminal.err;
    }
  });

  it('exits with 2 on bad usage, and with 1 where Temporal refuses', async () => {
    const from = '2026-01-01T00:00:00Z';
    expect((await runCommand(['audit', '--from', from])).code).toBe(2);
    expect((await audit()).code).toBe(2);
    expect(await audit('--from', from, '--to', from)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--from is not before --to'),
    });
    expect((await audit('--from', 'yesterday')).code).toBe(2);
    expect((await audit('--from', from, '--late-after', 'soon')).code).toBe(2);
    const refused = await audit('--from', from, '--namespace', 'nowhere');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^escapement: .*nowhere/) });
    expect((await audit('--from', from, '--query', 'Nonsense = 3')).code).toBe(1);
  });

  it('exits with 2 for an empty query, and so does compare: 1 says what was found', async () => {
    expect((await audit('--from', '2026-01-01T00:00:00Z', '--query', ' ')).code).toBe(2);
    expect((await runCommand(['compare', '--query', ''])).code).toBe(2);
  });
});
