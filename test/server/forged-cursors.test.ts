import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { operations } from '../../server/routes';
import { allRows } from '../support/all-rows';
import { useApi } from '../support/api';
import { bulkOf } from '../support/bulk';
import { forgedCursors } from '../support/fuzz/cursors';
import { writeTwoOfEach } from '../support/two-of-each';
import { IN_VERIFY } from '../support/verify';

const api = useApi({}, '2026-03-01T00:30:00Z');
const { serving } = bulkOf(api);

/** The addresses of each operation that takes a cursor: in each order, if another statement reads it. */
const ADDRESSES: Record<string, string[]> = {
  listSchedules: ['/v1/schedules?', '/v1/schedules?orderBy=nextFireAt&'],
  listScheduleFirings: ['/v1/schedules/one/firings?'],
  listScheduleVersions: ['/v1/schedules/one/versions?'],
  listScheduleRows: [
    '/v1/schedule-rows?',
    ...['nextFireAt', 'failing', 'lastOutcome', 'late', 'pausedAt'].map(
      (order) => `/v1/schedule-rows?orderBy=${order}&`,
    ),
  ],
  listFirings: ['/v1/firings?', '/v1/firings?order=oldest&'],
  listGaps: ['/v1/gaps?'],
  listDeadLetters: ['/v1/dead-letters?'],
  listAudit: ['/v1/audit?'],
  listOperationSchedules: [],
};

/** Audit entries, and a bulk change of two schedules. @returns its ID */
async function changeInBulk(): Promise<string> {
  const { ask, done } = serving();
  const filter = { scheduleIds: ['one', 'two'] };
  const { body } = await ask('/v1/bulk/tag', { filter, expectedTotal: 2, owner: 'shop' });
  await done(body.operationId);
  await ask('/v1/schedules/one/trigger', {});
  return body.operationId;
}

it('every operation with a cursor is asked with forged ones', () => {
  const withCursor = operations.filter(({ query }) => query instanceof z.ZodObject && 'cursor' in query.shape);
  expect(withCursor.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(ADDRESSES).sort());
});

it('a list refuses a cursor that no list gave with status 400 and its name, or gives a page, and nothing is written', async () => {
  const { ledger, ask } = api();
  await writeTwoOfEach(ledger);
  const addresses = [...Object.values(ADDRESSES).flat(), `/v1/operations/${await changeInBulk()}/schedules?`];
  // Firings that are due now are late.
  ledger.clock.set('2026-03-01T05:00:00Z');
  const real: Record<string, string> = {};
  for (const address of addresses) {
    const { body } = await ask({ url: `${address}pageSize=1` });
    expect(body, address).toMatchObject({ nextCursor: expect.any(String) });
    real[address] = body.nextCursor;
  }
  const before = await allRows(ledger);
  const seen = { refused: 0, read: 0 };
  const asked = Object.entries(real).map(([address, own]) =>
    fc.tuple(fc.constant(address), forgedCursors(own, Object.values(real))),
  );
  const property = fc.asyncProperty(fc.oneof(...asked), async ([address, cursor]) => {
    const { status, body } = await ask({
      url: `${address}pageSize=2&cursor=${encodeURIComponent(cursor.toWellFormed())}`,
    });
    seen[status === 200 ? 'read' : 'refused'] += 1;
    if (status === 200) expect(Object.values(body).find(Array.isArray)).toBeDefined();
    else expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ path: 'cursor' }] } });
  });
  await fc.assert(property, { numRuns: IN_VERIFY ? 5_000 : 1_000 });
  expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(100);
  expect(await allRows(ledger)).toBe(before);
});
