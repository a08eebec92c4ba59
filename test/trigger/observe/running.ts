import type { ScheduleOptions } from '../../../index';
import { TemporalDouble } from '../../../testing';
import type { DoubleBehaviour } from '../../../testing/double/behaviour';
import type { TriggerLimits } from '../../../trigger/limits';
import { type Answers, triggerAnswering } from '../../support/answering';
import { someSchedule, type TestLedger } from '../../support/ledger';

interface Running {
  schedules?: Partial<ScheduleOptions>[];
  /** Answers that the double does not give. */
  answers?: Answers;
  limits?: Partial<TriggerLimits>;
  /** How the workflows behave. @default they run until the test ends them */
  play?: DoubleBehaviour | undefined;
}

/** A trigger of the kit's double, and chains that it has started at 01:00, in the order of their schedules. */
export async function running(ledger: TestLedger, { schedules = [{}], answers, limits, play }: Running = {}) {
  const { client, clock } = ledger;
  const options = schedules.map(someSchedule);
  for (const one of options) await client.create(one);
  const double = new TemporalDouble(clock, { namespaces: ['default', 'aa', 'bb'] });
  if (play) double.play('echoFiring', play);
  const { trigger, passes, context } = await triggerAnswering(ledger, answers, { double, ...(limits && { limits }) });
  clock.set('2026-03-01T01:00:00Z');
  while ((await passes.claim()).more) {}
  while ((await passes.dispatch()).taken > 0) {}
  const ids = options.map(({ scheduleId }) => scheduleId);
  const chains = ids.map((id) => double.chains().find(({ start }) => start.firing.scheduleId === id)!);
  const rows = async () => {
    const found = await ledger.query<Record<string, unknown>>('select * from escapement.firings');
    return ids.map((id) => found.find(({ schedule_id }) => schedule_id === id)!);
  };
  const states = async () => (await rows()).map(({ state }) => state);
  const finish = (index: number, outcome?: Parameters<TemporalDouble['finish']>[2]) =>
    double.finish(chains[index]!.namespace, chains[index]!.workflowId, outcome);
  const said = (message: string) => ledger.log.lines.filter((line) => line.message === message);
  return { trigger, passes, context, double, ids, chains, rows, states, finish, said };
}
