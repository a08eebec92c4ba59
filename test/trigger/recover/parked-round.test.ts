import { describe, expect, inject, it } from 'vitest';
import { diagnose } from '../../../doctor/diagnose';
import { useLostLetters } from '../../support/failures/lost-letters';
import { useParking } from '../../support/failures/parking';
import { holding, refusingOne } from '../../support/failures/refusing';
import { useLedger } from '../../support/ledger';

// Long before Temporal’s own clock, so that all of the namespace’s runs are from after it.
const ledger = useLedger('2026-03-01T00:30:00Z');
const parking = useParking(ledger, { ownNamespace: true });
const { parkedOrder, failOver, readLetters } = useLostLetters(ledger, parking);

describe('after a failover that lost the letter of a parked step', () => {
  it('where Temporal refuses to list them, the log and doctor say so, and another trigger goes on', async () => {
    await parkedOrder();
    const PERMISSION_DENIED = 7;
    const listing = [PERMISSION_DENIED, 'ListWorkflowExecutions', 'TemporalChangeVersion'] as const;
    const connection = refusingOne(inject('temporalAddress'), ...listing);
    const { aMinuteLater } = await failOver('delete from escapement.dead_letters', { connection });
    await aMinuteLater();
    const { namespace } = parking.client().options;
    const said = ledger().log.lines.filter(({ message }) => message.startsWith('parked runs cannot be asked'));
    expect(said).toMatchObject([{ level: 'warn', meta: { namespace, error: expect.stringContaining('refused') } }]);
    const found = async () => {
      const temporal = { connection: { address: inject('temporalAddress') }, namespaces: {}, namespace };
      const postgres = { connectionString: ledger().databaseUrl };
      const findings = await diagnose({ postgres, temporal, now: () => ledger().clock.now() });
      return findings.filter(({ id }) => id === 'parked_not_asked');
    };
    expect(await found()).toMatchObject([
      { severity: 'warning', text: expect.stringMatching(/^Since 2026-03-01T01:\S+, .* lost: .*refused/) },
    ]);
    expect(await readLetters()).toEqual([]);
    // The one that is refused is alive.
    const { passes } = await ledger().trigger();
    await passes.heartbeat();
    expect(await passes.askParked()).toEqual({ asked: 1, complete: true });
    await parking.letters(1);
    expect(await found()).toEqual([]);
    expect(await passes.askParked()).toEqual({ asked: 0, complete: true });
  });

  it('one trigger asks for all, and the next one goes on where it died', async () => {
    await parkedOrder();
    await parkedOrder({ letters: 2 });
    const held: (() => void)[] = [];
    const connection = holding(inject('temporalAddress'), 'SignalWorkflowExecution', held, 1);
    const limits = { startBatchSize: 1, listPagePauseMilliseconds: 0 };
    const { passes: dying } = await ledger().trigger({ connection, limits });
    await ledger().query('delete from escapement.dead_letters');
    await ledger().query(`update escapement.meta set value = 'null' where key = 'incarnation'`);
    await dying.heartbeat();
    while (!(await dying.adopt()).complete) ledger().clock.advance(2_000);
    const begun = dying.askParked();
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1);
    await parking.letters(1);
    await dying.heartbeat();
    const { passes } = await ledger().trigger({ limits });
    await passes.heartbeat();
    expect(await passes.askParked()).toEqual({ asked: 0, complete: true });
    ledger().clock.advance(30_000);
    await passes.heartbeat();
    expect(await passes.askParked()).toEqual({ asked: 1, complete: true });
    await parking.letters(2);
    held[0]!();
    expect(await begun).toEqual({ asked: 1, complete: false });
    // Which also looks once more for what the list lacked, since whoever would have is dead.
    ledger().clock.advance(30_000);
    while (!(await passes.adopt()).complete) ledger().clock.advance(2_000);
    expect(await passes.askParked()).toEqual({ asked: 2, complete: true });
  });
});
