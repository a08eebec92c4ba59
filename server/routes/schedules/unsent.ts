import { isDeepStrictEqual } from 'node:util';
import { describedSpec } from '../../../client/describe/described-spec';
import type { ScheduleDescription } from '../../../client/describe/schedule-description';
import type { ScheduleOptions } from '../../../core/schedule/options';
import type { ScheduleSpec } from '../../../core/schedule/spec';

/**
 * The definition as it was sent, except for arguments and memo values that equal what GET shows of those in `previous`.
 * These keep their stored values. JSON has no form of its own for bytes, dates or undefined, so a definition that is
 * read and sent back would change them. Remaining actions that are sent as they were `read` become the current ones,
 * which firings may have counted down. `definition` of an older version is left out, since update refuses it.
 */
export function withUnsent(
  sent: ScheduleOptions,
  previous: ScheduleDescription,
  read: number | undefined,
): ScheduleOptions {
  const { args, memo } = sent.action as { args?: unknown; memo?: unknown };
  const isAsRead = read !== undefined && sent.state?.remainingActions === read;
  const { remainingActions } = previous.state;
  return {
    ...sent,
    ...(isAnswered(sent) ? { definition: undefined } : {}),
    ...(isAsRead ? { state: { ...sent.state, remainingActions } } : {}),
    memo: entriesOf(sent.memo, previous.memo),
    action: {
      ...sent.action,
      args: unlessSame(args, previous.action.args),
      memo: entriesOf(memo, previous.action.memo),
    },
  } as ScheduleOptions;
}

/** Whether `definition` is what GET adds to the spec beside it. */
function isAnswered({ spec, definition }: ScheduleOptions & { definition?: { spec: ScheduleSpec } }): boolean {
  try {
    return isDeepStrictEqual(spec, JSON.parse(JSON.stringify(describedSpec(definition!.spec))));
  } catch {
    // GET always gives a definition with a spec.
    return false;
  }
}

function entriesOf(sent: unknown, previous: Record<string, unknown> = {}): unknown {
  if (typeof sent !== 'object' || sent === null) return sent;
  const kept = (name: string, value: unknown) =>
    Object.hasOwn(previous, name) ? unlessSame(value, previous[name]) : value;
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, kept(name, value)]));
}

function unlessSame(sent: unknown, previous: unknown): unknown {
  try {
    return isDeepStrictEqual(sent, JSON.parse(JSON.stringify(previous))) ? previous : sent;
  } catch {
    // If JSON cannot show the previous value, the sent one does not come from GET.
    return sent;
  }
}
