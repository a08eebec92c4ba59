import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { messageOf } from '../../alerts/message';
import { AuditReport } from '../../cli/moving/audit-report';
import { noCounts } from '../../moving/audit/classes';

const ROOT = resolve(__dirname, '../..');
const page = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8');

it('the message in docs/alerts.md is the one that a webhook gets', () => {
  const [, shown] = /```json\n([\s\S]*?)```/.exec(page('alerts.md'))!;
  const openedAt = new Date('2026-03-01T01:01:00.000Z');
  const { body } = messageOf(
    'alert.opened',
    {
      ...{ alertId: 'b7a1f1de-2a77-4c4f-9d57-52f2a3c1d6f0', condition: 'overdue', scheduleId: 'payroll', tenant: '' },
      ...{ openedAt, resolvedAt: null, count: 1 },
      text: "Schedule 'payroll': the occurrence of 2026-03-01T01:00:00Z has no answer.",
    },
    {
      now: openedAt,
      answerable: new Map([['payroll', { owner: 'team-payroll', runbook: 'https://wiki.example/payroll' }]]),
    },
  );
  expect(JSON.stringify(JSON.parse(shown!))).toBe(body.replace(/"alertId":"[^"]+"/, '"alertId":"…"'));
});

it('the report in docs/audit.md is what the command prints of these times', () => {
  const [, shown] = /```text\n([\s\S]*?)```/.exec(page('audit.md'))!;
  const reason =
    'no workflow was started, and none of it was running. Whether it was paused just then Temporal does not say';
  const words = readFileSync(join(ROOT, 'moving/audit/classify.ts'), 'utf8');
  for (const part of ['no workflow was started', ', and none of it was running', reason.split('. ')[1]!]) {
    expect(words).toContain(part);
  }
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const report = new AuditReport(false, false);
    const at = (time: string) => Date.parse(`2026-11-23T${time}:00Z`);
    const schedule = { serverMissed: 0, server: 'same' as const };
    report.onTime('nightly-report', { nominal: at('02:00'), due: at('02:00'), class: 'missed', reason });
    report.onSchedule({
      ...{ ...schedule, scheduleId: 'nightly-report', worstLag: undefined },
      counts: { ...noCounts(), missed: 1 },
    });
    for (let count = 0; count < 23; count++) {
      report.onTime('sync', { nominal: at('00:00'), due: at('00:00'), class: 'on_time' });
    }
    const why = 'sync-workflow-2026-11-23T08:00:00Z still ran';
    report.onTime('sync', { nominal: at('09:00'), due: at('09:00'), class: 'skipped', reason: why });
    report.onSchedule({
      ...{ ...schedule, scheduleId: 'sync', worstLag: 2_000 },
      counts: { ...noCounts(), on_time: 23, skipped: 1 },
    });
    report.end();
    expect(written.mock.calls.map(([chunk]) => String(chunk)).join('')).toBe(shown);
  } finally {
    written.mockRestore();
  }
});
