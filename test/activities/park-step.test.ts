import { setImmediate } from 'node:timers/promises';
import { ApplicationFailure, ApplicationFailureCategory, ensureApplicationFailure } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { expect, it } from 'vitest';
import { activityLedger } from '../../activities/ledger';
import { burying } from '../../activities/park-step';
import type { BuryRequest } from '../../core/letters/park';
import { gate, TestActivity } from '../support/leases/lease-activities';

const MINUTE = 60_000;

const REQUEST: Omit<BuryRequest, 'failedAt'> = {
  ...{ installation: 'this', scheduleId: 'orders', scheduledTime: '2026-03-01T01:00:00.000Z', epoch: 0 },
  step: {
    ...{ activityType: 'chargeCard', retryState: 'MAXIMUM_ATTEMPTS_REACHED', burial: 1 },
    failure: { type: 'BankAway', message: 'later' },
  },
  failureTypes: ['BankAway'],
};

it('a step that the ledger cannot be told of is tried for ten minutes from its failure on, and then fails as without park', async () => {
  const ledger = activityLedger({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere' });
  const bury = burying(ledger, ['chargeCard'], { converter: () => loadDataConverter(undefined) });
  const after = (milliseconds: number) =>
    new TestActivity(undefined).run(() => bury({ ...REQUEST, failedAt: Date.now() - milliseconds }));
  await expect(after(9 * MINUTE)).rejects.toThrow(/Postgres cannot be reached|ECONNREFUSED/);
  expect(await after(10 * MINUTE)).toEqual({ decision: 'fail' });

  // A step that is already parked is asked about its letter for as long as it waits, since nobody asks again.
  const asked = (milliseconds: number) => {
    const again = { runId: 'run', askedAt: Date.now() - milliseconds };
    return new TestActivity(undefined).run(() => bury({ ...REQUEST, failedAt: 0, again }));
  };
  await expect(asked(30 * 24 * 60 * MINUTE)).rejects.toThrow(/Postgres cannot be reached|ECONNREFUSED/);
  await ledger.close();
});

it('a converter’s failure that was declared non-retryable ends neither the parking of a step nor the check of its letter', async () => {
  const ledger = activityLedger({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere' });
  const converter = () => {
    throw ApplicationFailure.nonRetryable('no key', 'NoKey');
  };
  const bury = burying(ledger, 'all', { converter });
  for (const again of [undefined, { runId: 'run', askedAt: Date.now() }]) {
    const request = { ...REQUEST, failedAt: Date.now(), ...(again && { again }) };
    const error = await new TestActivity(undefined).run(() => bury(request)).catch((thrown: Error) => thrown);
    expect(ensureApplicationFailure(error)).toMatchObject({ message: 'no key', nonRetryable: false });
  }
});

it('a retryable failure of `when` stays as it is, with the delay and the category that the user’s code gave it', async () => {
  const ledger = activityLedger({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere' });
  const failure = ApplicationFailure.create({
    message: 'the service is away',
    nextRetryDelay: '1 minute',
    category: ApplicationFailureCategory.BENIGN,
  });
  const when = () => Promise.reject(failure);
  const bury = burying(ledger, { activityTypes: 'all', when }, { converter: () => loadDataConverter(undefined) });
  const decided = new TestActivity(undefined).run(() => bury({ ...REQUEST, failedAt: Date.now() }));
  await expect(decided).rejects.toBe(failure);
});

it('writes no letter once a try was over before `when` answered, since the workflow may go on without park', async () => {
  const ledger = activityLedger({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere' });
  let stores = 0;
  const store = () => {
    stores++;
    return ledger.store();
  };
  const answer = gate<boolean>();
  const rules = { activityTypes: ['chargeCard'], when: () => answer.promise };
  const bury = burying({ ...ledger, store }, rules, {
    converter: () => loadDataConverter(undefined),
    tryMilliseconds: 1,
  });
  const late = new TestActivity(undefined).run(() => bury({ ...REQUEST, failedAt: Date.now() }));
  await expect(late).rejects.toThrow('no answer within 0.001 seconds');
  answer.open(true);
  await setImmediate();
  expect(stores).toBe(0);
  await ledger.close();
});
