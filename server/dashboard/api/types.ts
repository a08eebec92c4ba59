import type {
  Alert,
  AliveTrigger,
  DeadLetter,
  Explanation,
  Firing,
  LetterGroup,
  ScheduleDescription,
  ScheduleVersion,
} from '../../../index';
import type { AlertCounts } from '../../../store/alerts/read-alerts';
import type { FiringLife } from '../../../store/reads/firing-life';
import type { MissedBucket, OutcomeBucket } from '../../../store/reads/outcomes-over-time';
import type { LagSummary } from '../../../store/reads/overview';
import type { CalendarDay } from '../../overview/calendar';
import type { HeldTime } from '../../overview/held';
import type { ScheduleListRow } from '../../overview/schedule-rows';
import type { Mark as ServerMark } from '../../overview/strips';
import type { Verdict } from '../../overview/verdict';
import type { Json } from './json';

export interface Away {
  since: string;
  error: string;
  /** The name of the gRPC status. An older trigger sends none. */
  status?: string;
}

export interface Overview {
  now: string;
  verdict: Json<Verdict>;
  lagMilliseconds: number;
  lag: LagSummary;
  due: number;
  dueSince: string | null;
  waiting: number;
  waitingSince: string | null;
  running: number;
  letters: { open: number; oldestAt: string | null };
  alerts: Json<Alert>[];
  openAlerts: AlertCounts;
  triggers: Json<AliveTrigger>[];
  namespaces: { namespace: string; schedules: number; away?: Away }[];
  caps: { namespace?: string; taskQueue?: string; perSecond: number; since: string }[];
  coming: { at: string; schedules: number; scheduleId: string }[];
  /** An older server sends none. */
  freezes?: { to: string; note: string | null }[];
}

export interface OutcomesOverTime {
  from: string;
  to: string;
  bucketMilliseconds: number;
  buckets: Json<OutcomeBucket>[];
  missed: Json<MissedBucket>[];
}

export type AlertAnswer = Json<Alert>;
export type FiringAnswer = Json<Firing>;
export type LetterAnswer = Json<DeadLetter>;
export type LetterGroupAnswer = Json<LetterGroup>;
export type Mark = Json<ServerMark>;
export type ScheduleAnswer = Json<Omit<ScheduleDescription, 'raw'>> & { info: { heldActionTimes: Json<HeldTime>[] } };
export type VersionAnswer = Json<ScheduleVersion>;
export type ExplanationAnswer = Json<Explanation>;
export type LifeAnswer = { explanation: ExplanationAnswer; life: Json<FiringLife> | null };

export type ScheduleRow = Json<ScheduleListRow>;

export interface RowsPage {
  rows: ScheduleRow[];
  total?: number;
  /** Whether more may match than the list has. */
  isCut?: boolean;
  nextCursor?: string;
}

export interface CalendarAnswer {
  from: string;
  zone: string;
  today: string;
  days: Json<CalendarDay>[];
}

export interface AgendaAnswer {
  from: string;
  to: string;
  firings: number;
  schedules: number;
  minutes: number[];
  forms: {
    words: string[];
    schedules: number;
    jittered: number;
    firings: number;
    first: string;
    last: string;
    scheduleIds: string[];
  }[];
  entries: { at: string; scheduleId: string }[];
  leftOut: number;
}

export interface SessionAnswer {
  actor: string;
  tenant?: string;
  scopes: string[];
  version: string;
  temporalUi?: string;
}
