import type { ListedAlert } from '../../store/alerts/read-alerts';
import type { Store } from '../../store/connection';
import { type ChangeRange, readChangedAlerts, readChangedFirings } from '../../store/reads/changes';
import type { Firing } from '../../store/reads/read-firings';
import { type Place, type Position, writePosition } from './position';

export const EVENT_KINDS = ['firing', 'alert'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** One event, with the fields that filters need. */
export interface LedgerEvent {
  kind: EventKind;
  scheduleId: string | null;
  /** The tenant of the event; empty if it belongs to no tenant. */
  tenant: string;
  /** State of the firing; null for an alert. */
  state: string | null;
  place: Place;
  /** The event in the form in which it is sent. */
  text: string;
}

export interface EventPage {
  events: LedgerEvent[];
  isLast: boolean;
}

const PAGE = 500;

/**
 * Reads a page of the events in the range from `position.from` to `position.to`. The page begins after
 * `position.after`.
 */
export async function readEvents(store: Store, position: Position & { to: string }): Promise<EventPage> {
  const { after, incarnation } = position;
  const range: ChangeRange = { from: position.from, to: position.to };
  const idOf = (place: Place) => writePosition({ incarnation, ...range, after: place });
  const events: LedgerEvent[] = [];
  if (after?.kind !== 'alert') {
    for (const { changed, ofTenant, ...firing } of await readChangedFirings(store, range, after, PAGE)) {
      const { scheduleId, scheduledTime, state } = firing;
      const place: Place = { kind: 'firing', changed, scheduleId, scheduledTime };
      events.push({
        kind: 'firing',
        scheduleId,
        tenant: ofTenant,
        state,
        place,
        text: textOf(idOf(place), 'firing', firing),
      });
    }
    if (events.length === PAGE) return { events, isLast: false };
  }
  const alerts = await readChangedAlerts(store, range, after?.kind === 'alert' ? after : undefined, PAGE);
  for (const { changed, ...alert } of alerts) {
    const place: Place = { kind: 'alert', changed, alertId: alert.alertId };
    const { scheduleId, tenant } = alert;
    events.push({ kind: 'alert', scheduleId, tenant, state: null, place, text: textOf(idOf(place), 'alert', alert) });
  }
  return { events, isLast: alerts.length < PAGE };
}

/** The text of an event, with its data on one line, as `JSON.stringify` writes them. */
function textOf(id: string, kind: EventKind, data: Firing | ListedAlert): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
