import type { DataConverter, LoadedDataConverter } from '@temporalio/common';
import {
  decodeArrayFromPayloads,
  encodeToPayloads,
  loadDataConverter,
} from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { InvalidScheduleError } from '../core/errors';

const { Payloads } = temporal.api.common.v1;

/** Encodes a schedule's arguments with the user's converter and codec, so that nothing later needs either. */
export class ArgsCodec {
  readonly #converter: LoadedDataConverter;

  constructor(dataConverter: DataConverter | undefined) {
    this.#converter = loadDataConverter(dataConverter);
  }

  /**
   * The arguments as one `Payloads` message; undefined for none.
   *
   * @throws {InvalidScheduleError} when the converter or codec cannot encode them
   */
  async encode(args: unknown[]): Promise<Uint8Array | undefined> {
    if (args.length === 0) return undefined;
    try {
      return Payloads.encode({ payloads: await encodeToPayloads(this.#converter, ...args) }).finish();
    } catch (error) {
      throw new InvalidScheduleError('action.args', `cannot be encoded (${(error as Error).message})`);
    }
  }

  async decode(args: Uint8Array | null): Promise<unknown[]> {
    return args ? decodeArrayFromPayloads(this.#converter, Payloads.decode(args).payloads) : [];
  }
}
