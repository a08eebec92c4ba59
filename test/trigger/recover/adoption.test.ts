import { describe, expect, it } from 'vitest';
import {
  type Adoption,
  beginAnew,
  heldNamespaces,
  heldSchedules,
  holdNamespaces,
  holdSchedules,
  isAdopted,
  isAdoptionDue,
  isHeld,
  NOTHING_HELD,
} from '../../../trigger/recover/adoption';

const adoptionOf = (held: Adoption['held'] = NOTHING_HELD) =>
  ({ held, done: new Set(['answered']), unlisted: new Map() }) as unknown as Adoption;

/** An adoption that waits for these namespaces. */
function waitingFor(...namespaces: string[]): Adoption {
  const adoption = adoptionOf('all');
  holdNamespaces(adoption, namespaces);
  return adoption;
}

const heldOf = (adoption: Adoption) => ({
  namespaces: heldNamespaces(adoption),
  schedules: heldSchedules(adoption),
  isAdopted: isAdopted(adoption),
});

describe('after a failover', () => {
  it('everything is held until the namespaces are known', () => {
    const adoption = adoptionOf();
    beginAnew(adoption, 'all');
    expect(isHeld(adoption)).toBe(true);
    expect(isHeld(adoption, 'default')).toBe(true);
    expect(heldOf(adoption)).toEqual({ namespaces: [], schedules: [], isAdopted: false });
    // An answer that comes to an earlier pass frees nothing.
    holdSchedules(adoption, 'default', new Set());
    expect(isHeld(adoption, 'default')).toBe(true);
  });

  it('whoever begins anew forgets which namespaces have answered, in another set', () => {
    const adoption = adoptionOf();
    const { done } = adoption;
    beginAnew(adoption, NOTHING_HELD);
    expect(adoption.held).toBe(NOTHING_HELD);
    expect(adoption.done).toEqual(new Set());
    expect(done).toEqual(new Set(['answered']));
  });

  it('only namespaces that have not answered are held, and the trigger as a whole is not', () => {
    const adoption = waitingFor('silent', 'slow');
    expect(isHeld(adoption)).toBe(false);
    expect(['silent', 'slow', 'other'].filter((name) => isHeld(adoption, name))).toEqual(['silent', 'slow']);
    holdSchedules(adoption, 'slow', new Set());
    expect(heldOf(adoption)).toEqual({ namespaces: ['silent'], schedules: [], isAdopted: false });
  });

  it('of a namespace that has answered, only schedules whose rows could not be written stay held', () => {
    const adoption = waitingFor('silent', 'locked');
    holdSchedules(adoption, 'locked', new Set(['one', 'two']));
    const expected = { namespaces: ['silent'], schedules: ['one', 'two'], isAdopted: false };
    expect(heldOf(adoption)).toEqual(expected);
    expect(isHeld(adoption, 'locked')).toBe(false);
    // The next pass asks both again, since neither is done.
    holdNamespaces(adoption, ['silent', 'locked']);
    expect(heldOf(adoption)).toEqual(expected);
    holdSchedules(adoption, 'locked', new Set(['two']));
    expect(heldSchedules(adoption)).toEqual(['two']);
  });

  it('the ledger counts as adopted only once no namespace and no schedule is held', () => {
    const namespaces = new Set(['silent']);
    const schedules = new Map([['locked', new Set(['one'])]]);
    expect(isAdopted({ held: 'all' })).toBe(false);
    expect(isAdopted({ held: { ...NOTHING_HELD, namespaces } })).toBe(false);
    expect(isAdopted({ held: { ...NOTHING_HELD, schedules } })).toBe(false);
    expect(isAdopted({ held: NOTHING_HELD })).toBe(true);
  });
});

describe('Temporal is asked which runs it has', () => {
  const AT = Date.parse('2026-03-01T12:00:00Z');
  const DAY = 86_400_000;
  const due = (adoption: Partial<Adoption>, now = AT) =>
    isAdoptionDue({
      adoption: { held: NOTHING_HELD, again: undefined, adoptedAt: null, ...adoption },
      clock: { now: () => now },
    });

  it('while anything is held, and not before a trigger has heard of an adoption', () => {
    expect(due({ held: 'all' })).toBe(true);
    expect(due({ held: { ...NOTHING_HELD, namespaces: new Set(['silent']) } })).toBe(true);
    expect(due({})).toBe(false);
  });

  it('once more after a failover, from the time that is planned for it', () => {
    const again = { since: new Date(AT - 60_000), at: AT };
    expect([AT - 1, AT, AT + 1].map((now) => due({ again }, now))).toEqual([false, true, true]);
  });

  it('each day, whether or not it is asked once more later', () => {
    const adoptedAt = new Date(AT);
    const days = (adoption: Partial<Adoption>) => [DAY - 1, DAY].map((after) => due(adoption, AT + after));
    expect(days({ adoptedAt })).toEqual([false, true]);
    expect(days({ adoptedAt, again: { since: adoptedAt, at: AT + 2 * DAY } })).toEqual([false, true]);
  });
});
