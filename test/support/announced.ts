import type { TestLedger } from './ledger';

/** Announce all that waits, as a trigger does that dies, or stands still, before anybody hears of it. */
export async function announceAll(ledger: TestLedger, { id }: { id: string }, now = ledger.clock.now()) {
  await ledger.query(
    `update escapement.firings set owner = $1, first_attempted_at = $2, start_attempted_at = $2, check_at = $3
     where state = 'claimed' and owner is null`,
    [id, new Date(now), new Date(now + 30_000)],
  );
}

/** Leave all that waits as a trigger does that announced it, and took that back since it called nobody. */
export async function leaveUncalled(ledger: TestLedger, { id }: { id: string }) {
  await ledger.query(
    `update escapement.firings set owner = $1, check_at = $2 where state = 'claimed' and owner is null`,
    [id, new Date(ledger.clock.now())],
  );
}
