import { isDeepStrictEqual } from 'node:util';
import type { EncodedPayload } from '../../core/definition/definition';
import type { ParsedSchedule } from '../../core/definition/parse';
import type { ScheduleRow } from '../../store/reads/read-schedules';
import type { EncodedSchedule, ScheduleCodec } from '../payloads';

type Stored = Pick<ScheduleRow, 'scheduleId' | 'namespace' | 'action' | 'args' | 'memo'>;
type Values = Record<string, unknown>;
type Texts = Record<string, EncodedPayload>;

/**
 * The encoded schedule, with the stored bytes of each value that did not change. Another SDK may have written a value
 * that JavaScript cannot hold, such as a whole number above 2^53.
 */
export async function keepStored(
  codec: ScheduleCodec,
  row: Stored,
  parsed: ParsedSchedule,
  encoded: EncodedSchedule,
): Promise<EncodedSchedule> {
  const ofSchedule = await codec.decodeMemo(row.memo).catch(() => undefined);
  const memo = keptEntries(codec, [ofSchedule, row.memo], [parsed.memo, encoded.memo]);
  const { action } = encoded.definition;
  const stored = await codec.decodeWhatCan(row);
  const areArgsKept = isDeepStrictEqual(codec.comparable(stored.args), codec.comparable(parsed.args));
  const args = areArgsKept ? (row.args ?? undefined) : encoded.args;
  // A codec may encode a value depending on the workflow ID. So if that ID changes, no encoded bytes of the action are
  // kept, except arguments that this client cannot encode again.
  if (row.action.workflowId !== action.workflowId) {
    return { ...encoded, memo, args: stored.argsError === undefined ? encoded.args : args };
  }
  const given = parsed.definition.action;
  const kept = (field: 'staticSummary' | 'staticDetails') =>
    stored[field] !== undefined && stored[field] === given[field] ? row.action[field] : action[field];
  return {
    memo,
    args,
    definition: {
      ...encoded.definition,
      action: {
        ...action,
        memo: keptEntries(codec, [stored.memo, row.action.memo], [given.memo, action.memo]),
        staticSummary: kept('staticSummary'),
        staticDetails: kept('staticDetails'),
      },
    },
  };
}

function keptEntries(
  codec: ScheduleCodec,
  [stored, storedTexts]: [Values | undefined, Texts | null | undefined],
  [given, texts]: [Values | undefined, Texts | undefined],
): Texts | undefined {
  if (!stored || !storedTexts || !given || !texts) return texts;
  const [before, after] = [codec.comparable(stored), codec.comparable(given)];
  const isKept = (name: string) => Object.hasOwn(before, name) && isDeepStrictEqual(before[name], after[name]);
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, isKept(name) ? storedTexts[name]! : text]),
  );
}
