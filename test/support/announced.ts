import type { TestLedger } from './ledger';

/** Announce all waiting firings, as a trigger does that dies or hangs before it calls start. */
export async function announceAll(ledger: TestLedger, { id }: { id: string }, now = ledger.clock.now()) {
  await ledger.query(
    `update escapement.firings set owner = $1, first_attempted_at = $2, start_attempted_at = $2, check_at = $3
     where state = 'claimed' and owner is null`,
    [id, new Date(now), new Date(now + 30_000)],
  );
}

/** Announce all waiting firings, then undo the announcement, as a trigger does that could not call start. */
export async function leaveUncalled(ledger: TestLedger, { id }: { id: string }) {
  await ledger.query(
    `update escapement.firings set owner = $1, check_at = $2 where state = 'claimed' and owner is null`,
    [id, new Date(ledger.clock.now())],
  );
}
