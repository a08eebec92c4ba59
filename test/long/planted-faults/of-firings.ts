import { randomUUID } from 'node:crypto';
import type { TestLedger } from '../../support/ledger';
import type { Fault } from '../../support/scenes/planted-fault';

const late: Fault = {
  fault: 'a firing that is late',
  finding: 'late',
  condition: 'late',
  async plant(scene) {
    const trigger = await scene.trigger();
    // A trigger whose starts hang.
    await scene.goTo(trigger, '01:00:00', { without: ['dispatch'] });
    await scene.go(trigger, 26, { without: ['dispatch'] });
    scene.ledger.clock.advance(4_000);
    await trigger.passes.heartbeat();
    const heal = () => trigger.passes.dispatch();
    const { go } = scene;
    scene.go = (one, seconds) => go.call(scene, one, seconds, { without: ['dispatch'] });
    return { trigger, heal };
  },
};

const deadTrigger: Fault = {
  fault: 'a dead trigger',
  finding: 'no_trigger',
  condition: 'no_trigger',
  async plant(scene) {
    const dead = await scene.trigger();
    await dead.close();
    scene.ledger.clock.advance(180_000);
    const trigger = await scene.ledger.trigger({ alerts: { webhooks: scene.webhooks } });
    return { trigger, heal: async () => undefined };
  },
};

const writeLetters = (ledger: TestLedger, scheduleId: string, kind: string, count: number) =>
  ledger.query(
    `insert into escapement.letters (letter_id, schedule_id, scheduled_time, epoch, kind, state, reason, namespace, workflow_id, created_at, updated_at)
      select gen_random_uuid(), $1, $2::timestamptz, 0, $3, 'open', 'failed', 'default', $4, $2, $2 from generate_series(1, $5::int)`,
    [scheduleId, new Date(ledger.clock.now()), kind, randomUUID(), count],
  );

const settleLetters = (ledger: TestLedger) => ledger.query(`update escapement.letters set state = 'resolved'`);

const growingLetters: Fault = {
  fault: 'letters that grow',
  finding: 'dead_letter',
  condition: 'dead_letter',
  async plant(scene) {
    const scheduleId = await scene.schedule();
    const trigger = await scene.trigger();
    for (let more = 0; more < 3; more++) {
      await writeLetters(scene.ledger, scheduleId, 'workflow', 10);
      await scene.go(trigger, 5);
    }
    return { trigger, heal: () => settleLetters(scene.ledger) };
  },
};

const parkedForADay: Fault = {
  fault: 'a step that is parked for a day',
  finding: 'parked',
  condition: 'parked',
  async plant(scene) {
    const scheduleId = await scene.schedule({ spec: { cron: '0 0 1 1 *' } });
    const trigger = await scene.trigger();
    await writeLetters(scene.ledger, scheduleId, 'parked', 1);
    await scene.go(trigger, 5);
    scene.ledger.clock.advance(86_400_000);
    await trigger.passes.alert();
    return { trigger, heal: () => settleLetters(scene.ledger) };
  },
};

const setAside: Fault = {
  fault: 'a schedule that is set aside',
  finding: 'schedule_set_aside',
  condition: 'schedule_set_aside',
  async plant(scene) {
    const { ledger } = scene;
    const scheduleId = await scene.schedule();
    await ledger.query(
      `update escapement.schedule_versions set spec = '{"cron": ["nonsense"]}' where schedule_id = $1`,
      [scheduleId],
    );
    const trigger = await scene.trigger();
    await scene.goTo(trigger, '01:00:00');
    const heal = () =>
      ledger.client.getHandle(scheduleId).update((described) => ({ ...described, spec: { cron: '0 * * * *' } }));
    return { trigger, heal };
  },
};

/** Faults of triggers, schedules and their firings. */
export const OF_FIRINGS = [late, deadTrigger, growingLetters, parkedForADay, setAside];
