import type { ListedAlert } from '../../store/alerts/read-alerts';
import type { Store } from '../../store/connection';
import { type ChangeRange, readChangedAlerts, readChangedFirings } from '../../store/reads/changes';
import type { Firing } from '../../store/reads/read-firings';
import { type Place, type Position, writePosition } from './position';

/** What may be told to readers. */
export const EVENT_KINDS = ['firing', 'alert'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** One event, and what filters ask of it. */
export interface LedgerEvent {
  kind: EventKind;
  scheduleId: string | null;
  /** Empty for nobody's. */
  tenant: string;
  /** A firing's state; null of an alert. */
  state: string | null;
  place: Place;
  /** As it is sent. */
  text: string;
}

/** Events of a range, and whether they are the last ones of it. */
export interface EventPage {
  events: LedgerEvent[];
  isLast: boolean;
}

/** Half a megabyte or so. */
const PAGE = 500;

/** A page of what was committed after `position` and by its `to`. */
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

/** JSON has no line breaks of its own. */
function textOf(id: string, kind: EventKind, data: Firing | ListedAlert): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
