import { activityInfo, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import type { BuryRequest } from '../../core/letters/park';
import { purge } from '../../owner/purge/purge';
import type { EscapementPluginOptions, StepToPark } from '../../plugin';
import { proxyOf } from '../support/connections/proxy';
import { Steps, useParking } from '../support/failures/parking';
import { gate } from '../support/leases/lease-activities';
import { someSchedule, uniqueName, useLedger } from '../support/ledger';
import { sdkLog } from '../support/quiet-sdk';

const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger);

/** An order whose card is charged on a worker that parks by these rules. */
async function ordered(park: EscapementPluginOptions['park'], failure: () => Error | Promise<Error>) {
  const taskQueue = uniqueName('queue');
  const chargeCard = async () => {
    throw await failure();
  };
  const { stop } = await parking.work({ taskQueue, activities: { chargeCard }, plugins: [parking.plugin({ park })] });
  return { execution: await parking.fire('order', taskQueue), stop };
}

const declined = () => ApplicationFailure.nonRetryable('no money', 'CardDeclined');
const bankAway = () =>
  ApplicationFailure.create({
    ...{ message: 'later', type: 'BankAway' },
    cause: ApplicationFailure.create({ message: 'socket', type: 'SocketLost' }),
  });

describe('a failed step is parked by rules', () => {
  it('not where its failure was declared non-retryable, but where that retry state is asked for', async () => {
    const plain = await ordered(['chargeCard'], declined);
    await expect(plain.execution.result()).rejects.toMatchObject({ cause: { cause: { type: 'CardDeclined' } } });
    await parking.letters(0);
    await plain.stop();

    const asked = await ordered({ activityTypes: 'all', retryStates: ['NON_RETRYABLE_FAILURE'] }, declined);
    const [letter] = await parking.letters(1);
    expect(letter!.failed_step).toMatchObject({
      retryState: 'NON_RETRYABLE_FAILURE',
      failure: { type: 'CardDeclined' },
    });
    await parking.decide(asked.execution, { decision: 'discard' });
    await expect(asked.execution.result()).rejects.toThrow();
  });

  it('by the type of its failure or of a cause, and by a predicate whose answer a replay does not ask for again', async () => {
    const other = await ordered({ activityTypes: 'all', failureTypes: ['CardDeclined'] }, bankAway);
    await expect(other.execution.result()).rejects.toMatchObject({ cause: { cause: { type: 'BankAway' } } });
    await parking.letters(0);
    await other.stop();

    const asked: StepToPark[] = [];
    const rules = (answer: boolean) => ({
      ...{ activityTypes: ['chargeCard'], failureTypes: ['SocketLost'] },
      when: async (step: StepToPark) => {
        asked.push(step);
        return answer;
      },
    });
    const no = await ordered(rules(false), bankAway);
    await expect(no.execution.result()).rejects.toMatchObject({ cause: { cause: { type: 'BankAway' } } });
    await parking.letters(0);
    await no.stop();

    const { execution } = await ordered(rules(true), bankAway);
    await parking.letters(1);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toEqual({
      ...{ scheduleId: expect.any(String), scheduledTime: expect.any(Date), activityType: 'chargeCard' },
      ...{ retryState: 'MAXIMUM_ATTEMPTS_REACHED', failureTypes: ['BankAway', 'SocketLost'], message: 'socket' },
    });
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
    await parking.replay(execution, [parking.plugin({ park: rules(false) })]);
    expect(asked).toHaveLength(2);
  });

  it('by the type of the failure before a timeout', async () => {
    const taskQueue = uniqueName('queue');
    const chargeCard = async () => {
      if (activityInfo().attempt === 1) throw bankAway();
      await Context.current().cancelled;
    };
    const asked: StepToPark[] = [];
    const when = (step: StepToPark) => asked.push(step) > 0;
    const plugins = [parking.plugin({ park: { activityTypes: 'all', failureTypes: ['SocketLost'], when } })];
    await parking.work({ taskQueue, activities: { chargeCard }, plugins });
    const execution = await parking.fire('impatient', taskQueue);
    await parking.letters(1);
    expect(asked).toMatchObject([{ failureTypes: ['TIMEOUT_HEARTBEAT', 'BankAway', 'SocketLost'] }]);
    await parking.decide(execution, { decision: 'discard' });
    await expect(execution.result()).rejects.toThrow();
  });
});

it('a `when` that throws is called again, also if its failure was declared non-retryable', async () => {
  let calls = 0;
  const when = () => {
    calls++;
    if (calls === 1) throw ApplicationFailure.nonRetryable('no rule yet', 'BadRule');
    return true;
  };
  const { execution } = await ordered({ activityTypes: 'all', when }, bankAway);
  const [letter] = await parking.letters(1);
  expect([calls, letter!.failed_step]).toMatchObject([2, { activityType: 'chargeCard' }]);
  await parking.decide(execution, { decision: 'discard' });
  await expect(execution.result()).rejects.toMatchObject({ cause: { cause: { type: 'BankAway' } } });
});

describe('a step that the ledger cannot be told of', () => {
  const fails = { cause: { activityType: 'chargeCard', cause: { message: 'chargeCard of A1 does not work' } } };

  /** An order that fails while the ledger is away; `away` says how. */
  async function orderedAway(away: 'cut' | 'hang') {
    const url = new URL(ledger().databaseUrl);
    const proxy = await proxyOf(url.host);
    url.host = proxy.address;
    const taskQueue = uniqueName('queue');
    const steps = new Steps();
    steps.broken.add('chargeCard');
    const park = { activityTypes: ['chargeCard'], giveUpAfter: '1 second' as const };
    const plugins = [parking.plugin({ connectionString: url.href, park })];
    await parking.work({ taskQueue, activities: steps.activities, plugins });
    proxy[away]();
    return parking.fire('order', taskQueue);
  }

  it.each(['cut', 'hang'] as const)('fails after `giveUpAfter` as without park: %s', async (away) => {
    const execution = await orderedAway(away);
    await expect(execution.result()).rejects.toMatchObject(fails);
    const scheduleId = execution.workflowId.split('-workflow-')[0];
    // The log is that of the process, and may be told of other files' workers meanwhile.
    const told = () => sdkLog().filter(({ level, meta }) => level === 'ERROR' && meta?.scheduleId === scheduleId);
    await expect
      .poll(() => told().at(-1))
      .toMatchObject({
        message: 'not parked: nobody could decide or record it in time',
        meta: { step: 'chargeCard', error: expect.any(String) },
      });
    await parking.replay(execution, [parking.plugin()]);
  });

  it('fails at once if a purge has erased its schedule, though a new schedule has the same ID', async () => {
    const purged = gate<Error>();
    const { execution } = await ordered(['chargeCard'], () => purged.promise);
    const { scheduleId } = (await execution.describe()).memo!.escapement as BuryRequest;
    // The run began by Temporal's clock.
    ledger().clock.set(new Date(Date.now() + 60_000).toISOString());
    const now = () => new Date(ledger().clock.now());
    await purge(
      { connectionString: ledger().databaseUrl },
      { scheduleId },
      { actor: 'dpo', force: true, now, onProgress: () => undefined },
    );
    await ledger().client.create(someSchedule({ scheduleId }));
    purged.open(bankAway());
    await expect(execution.result()).rejects.toMatchObject({ cause: { cause: { type: 'BankAway' } } });
    await parking.letters(0);
  });
});

it('refuses rules that are none, by name', () => {
  const refused: [object, RegExp][] = [
    [{}, /EscapementPlugin\.park\.activityTypes: /],
    [
      { activityTypes: ['chargeCard'], failureType: 'x' },
      /park\.failureType: is not a field here.*did you mean failureTypes/,
    ],
    [{ activityTypes: 'chargeCard' }, /park\.activityTypes: give a list of activity types/],
    [{ activityTypes: 'all', retryStates: ['TIMEDOUT'] }, /park\.retryStates\[0\]: "TIMEDOUT" is none of/],
    [{ activityTypes: 'all', when: true }, /park\.when: is not a function/],
    [{ activityTypes: 'all', giveUpAfter: 'soon' }, /park\.giveUpAfter: .*is not a duration/],
  ];
  for (const [park, message] of refused) expect(() => parking.plugin({ park } as never)).toThrow(message);
});
