import { ApplicationFailure, type LoadedDataConverter } from '@temporalio/common';
import { encodeErrorToFailure } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import type { StepFailure } from '../core/letters/failed-step';

const { Payload } = temporal.api.common.v1;

/**
 * Encode the message of a step's failure by the worker's failure converter and codecs. The failure type stays plain.
 */
export async function encodeFailure(converter: LoadedDataConverter, failure: StepFailure): Promise<StepFailure> {
  const error = ApplicationFailure.create({ type: failure.type, message: failure.message });
  error.stack = '';
  const { message, encodedAttributes } = await encodeErrorToFailure(converter, error);
  if (!encodedAttributes) return { ...failure, message: message ?? '' };
  const encoded = Buffer.from(Payload.encode(encodedAttributes).finish()).toString('base64');
  return { type: failure.type, message: message ?? '', encoded };
}
