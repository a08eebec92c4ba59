import { isDeepStrictEqual } from 'node:util';
import type { DataConverter, LoadedDataConverter, Payload, SerializationContext } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  decodeFromPayloadsAtIndex,
  decodeMapFromPayloads,
  decodeOptionalSinglePayload,
  decodeUserMetadata,
  encodeMapToPayloads,
  encodeToPayload,
  encodeToPayloadsWithContext,
  encodeUserMetadata,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import type { EncodedPayload, ScheduleDefinition, StoredAction } from '../core/definition/definition';
import { checkEncodable } from '../core/definition/encodable';
import { type EncodedArgs, isEncodedArgs } from '../core/definition/encoded-args';
import type { ParsedSchedule } from '../core/definition/parse';
import { checkEncodedSizes, checkMemoSize, checkResultSize } from '../core/definition/payload-limits';
import { unlessEmpty } from '../core/definition/unless-empty';
import { InvalidOptionError, InvalidScheduleError } from '../core/errors';
import { fromJson, fromText, fromTexts, toJson, toText, toTexts } from './payload-texts';

const { Payload: PayloadMessage, Payloads } = temporal.api.common.v1;

/** A schedule whose values were encoded by the user's converter and codec, ready to be stored. */
export interface EncodedSchedule {
  definition: ScheduleDefinition;
  /** The arguments as one `Payloads` message; undefined for none. */
  args: Uint8Array | undefined;
  /** Memo of the schedule itself; undefined if it was left out. */
  memo: Record<string, EncodedPayload> | undefined;
}

/** A stored action with its encoded arguments, and the schedule and namespace that decoding needs. */
export interface EncodedAction {
  scheduleId: string;
  namespace: string;
  action: StoredAction;
  args: Buffer | null;
}

/** The decoded values of an action's encoded fields. */
export interface DecodedValues {
  args: unknown[];
  memo?: Record<string, unknown>;
  staticSummary?: string;
  staticDetails?: string;
}

/** The fields of an action that could be decoded, and the errors of the others. */
export interface PartlyDecoded extends DecodedValues {
  /** Why `args` are still in encoded form. */
  argsError?: string;
  /** Why `memo` is left out. */
  memoError?: string;
  /** Why `staticSummary` and `staticDetails` are left out. */
  textsError?: string;
}

/**
 * Encodes the values of a schedule with the user's converter and codec, as Temporal's own client does. A trigger needs
 * neither the converter nor the codec.
 */
export class ScheduleCodec {
  readonly #converter: LoadedDataConverter;

  constructor(dataConverter: DataConverter | undefined) {
    this.#converter = loadDataConverter(dataConverter);
  }

  /** @throws {InvalidScheduleError} for a value that cannot be encoded, or is larger than Temporal accepts */
  async encode(
    { scheduleId, definition, args, memo }: ParsedSchedule,
    headers: Record<string, Payload> = {},
  ): Promise<EncodedSchedule> {
    const { action, namespace } = definition;
    const context = contextOf(scheduleId, namespace, action);
    const payloads = await this.#encodeArgs('action.args', context, args);
    const fields = await encodable('action.memo', async () =>
      action.memo ? encodeMapToPayloads(this.#converter, action.memo, context) : undefined,
    );
    const metadata = await encodable('action.staticSummary', () =>
      encodeUserMetadata(this.#converter, action.staticSummary, action.staticDetails, context),
    );
    const own = await encodable('memo', async () => (memo ? encodeMapToPayloads(this.#converter, memo) : undefined));

    const encodedArgs = payloads ? Payloads.encode({ payloads }).finish() : undefined;
    checkEncodedSizes({
      args: encodedArgs?.length ?? 0,
      memo: sizeOf(fields),
      staticSummary: metadata?.summary ? PayloadMessage.encode(metadata.summary).finish().length : 0,
      staticDetails: metadata?.details ? PayloadMessage.encode(metadata.details).finish().length : 0,
    });
    checkMemoSize(sizeOf(own));
    return {
      definition: {
        ...definition,
        action: {
          ...action,
          memo: toTexts(fields),
          staticSummary: metadata?.summary ? toText(metadata.summary) : undefined,
          staticDetails: metadata?.details ? toText(metadata.details) : undefined,
          headers: unlessEmpty(toTexts(headers)),
        },
      },
      args: encodedArgs,
      memo: toTexts(own),
    };
  }

  /**
   * Encodes arguments for one firing, which replace the action's own arguments. @throws {InvalidScheduleError} as
   * {@link encode} does
   */
  async encodeArgs(
    { scheduleId, namespace, action }: Omit<EncodedAction, 'args'>,
    args: unknown[] | EncodedArgs,
  ): Promise<Uint8Array> {
    const context = contextOf(scheduleId, namespace, action);
    const payloads = await this.#encodeArgs('args', context, args);
    const encoded = Payloads.encode({ payloads }).finish();
    const { memo, staticDetails } = action;
    checkEncodedSizes({
      args: encoded.length,
      memo: await encodable('action.memo', async () => sizeOf(memo && fromTexts(memo))),
      staticSummary: 0,
      staticDetails: staticDetails ? Buffer.byteLength(staticDetails, 'base64') : 0,
    });
    return encoded;
  }

  async #encodeArgs(
    path: string,
    context: SerializationContext,
    args: unknown[] | EncodedArgs,
  ): Promise<Payload[] | undefined> {
    if (isEncodedArgs(args)) return args.payloads.map(fromJson);
    return encodable(path, () => encodeToPayloadsWithContext(this.#converter, context, args));
  }

  /**
   * Encodes the result of a step in the form in which a signal carries it to the workflow. @throws {InvalidOptionError}
   * for a result that cannot be encoded, or is too large
   */
  async encodeResult(workflow: WorkflowContext, result: unknown): Promise<EncodedPayload> {
    let payload: Payload;
    try {
      checkEncodable(result, 'result');
      payload = await encodeToPayload(this.#converter, result, workflow);
    } catch (error) {
      throw new InvalidOptionError('result', `cannot be encoded (${(error as Error).message})`);
    }
    checkResultSize(PayloadMessage.encode(payload).finish().length);
    return toText(payload);
  }

  async decodeResult(workflow: WorkflowContext, encoded: EncodedPayload): Promise<unknown> {
    return decodeFromPayloadsAtIndex(this.#converter, 0, [fromText(encoded)], workflow);
  }

  async decode({ scheduleId, namespace, action, args }: EncodedAction): Promise<DecodedValues> {
    const context = contextOf(scheduleId, namespace, action);
    const { memo, staticSummary, staticDetails } = action;
    const metadata = await decodeUserMetadata(
      this.#converter,
      {
        summary: staticSummary ? fromText(staticSummary) : null,
        details: staticDetails ? fromText(staticDetails) : null,
      },
      context,
    );
    return {
      args: args ? await decodeArrayFromPayloads(this.#converter, Payloads.decode(args).payloads, context) : [],
      ...(memo ? { memo: await decodeMapFromPayloads(this.#converter, fromTexts(memo), context) } : {}),
      ...(metadata.staticSummary === undefined ? {} : { staticSummary: metadata.staticSummary }),
      ...(metadata.staticDetails === undefined ? {} : { staticDetails: metadata.staticDetails }),
    };
  }

  /**
   * Decode the parts of an action that this client can decode. For each other part the result has an error. Arguments
   * that cannot be decoded are returned in encoded form; if the stored bytes are damaged, without payloads.
   */
  async decodeWhatCan(encoded: EncodedAction): Promise<PartlyDecoded> {
    try {
      return await this.decode(encoded);
    } catch {
      // Below, each part is decoded by itself, so that its error is known.
    }
    const { action, args } = encoded;
    const { memo, staticSummary, staticDetails, ...plain } = action;
    const part = async (one: EncodedAction) => {
      try {
        return { values: await this.decode(one), error: undefined };
      } catch (error) {
        return { values: undefined, error: (error as Error).message };
      }
    };
    const ofArgs = await part({ ...encoded, action: plain });
    const ofMemo = await part({ ...encoded, args: null, action: { ...plain, ...(memo ? { memo } : {}) } });
    const texts = { ...(staticSummary ? { staticSummary } : {}), ...(staticDetails ? { staticDetails } : {}) };
    const ofTexts = await part({ ...encoded, args: null, action: { ...plain, ...texts } });
    return {
      ...ofTexts.values,
      ...ofMemo.values,
      // `create` accepts the stored message as arguments, although it is not a list.
      args: ofArgs.values?.args ?? (encodedArgsOf(args) as never),
      ...(ofArgs.error === undefined ? {} : { argsError: ofArgs.error }),
      ...(ofMemo.error === undefined ? {} : { memoError: ofMemo.error }),
      ...(ofTexts.error === undefined ? {} : { textsError: ofTexts.error }),
    };
  }

  /**
   * Decoded values of a list or an object, in a form that shows whether they encode alike. Two objects with private
   * fields may be deeply equal though they differ, so each value that is more than JSON comes with its payload.
   */
  comparable<Values>(values: Values): Values {
    if (typeof values !== 'object' || values === null) return values;
    const all = Object.entries(values).map(([name, value]) => [name, this.#withPayload(value)] as const);
    return (Array.isArray(values) ? all.map(([, value]) => value) : Object.fromEntries(all)) as Values;
  }

  #withPayload(value: unknown): unknown {
    if (isJson(value)) return value;
    try {
      // No codec is used: it may encode the same value to different bytes each time.
      return [value, this.#converter.payloadConverter.toPayload(value)];
    } catch {
      return [value];
    }
  }

  /** The text of a failure that a failure converter encoded; undefined if this client cannot read it. */
  async decodeFailureText(encoded: EncodedPayload): Promise<string | undefined> {
    try {
      const payload = await decodeOptionalSinglePayload<{ message?: string }>(this.#converter, fromText(encoded));
      return payload?.message;
    } catch {
      return undefined;
    }
  }

  /** Decode the memo of the schedule itself; undefined for null. */
  async decodeMemo(memo: Record<string, EncodedPayload> | null): Promise<Record<string, unknown> | undefined> {
    return memo ? decodeMapFromPayloads(this.#converter, fromTexts(memo)) : undefined;
  }
}

/** The workflow to which an encoded value belongs. Codecs and converters may depend on that workflow. */
export type WorkflowContext = Extract<SerializationContext, { type: 'workflow' }>;

/** The same context as Temporal's client gives to converters and codecs. */
function contextOf(scheduleId: string, namespace: string, action: { workflowId?: string }): SerializationContext {
  return { type: 'workflow', namespace, workflowId: action.workflowId ?? `${scheduleId}-workflow` };
}

async function encodable<Encoded>(path: string, encode: () => Promise<Encoded>): Promise<Encoded> {
  try {
    return await encode();
  } catch (error) {
    throw new InvalidScheduleError(path, `cannot be encoded (${(error as Error).message})`);
  }
}

function encodedArgsOf(args: Buffer | null): EncodedArgs {
  try {
    return { payloads: args ? Payloads.decode(args).payloads.map(toJson) : [] };
  } catch {
    return { payloads: [] };
  }
}

function isJson(value: unknown): boolean {
  try {
    return isDeepStrictEqual(value, JSON.parse(JSON.stringify(value)));
  } catch {
    return false;
  }
}

function sizeOf(fields: Record<string, Payload> | undefined): number {
  return fields ? temporal.api.common.v1.Memo.encode({ fields }).finish().length : 0;
}
