import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { version } from '../version';
import type { WorkflowStart } from './port';

/**
 * The header in which Temporal's own interceptors (`@temporalio/interceptors-opentelemetry`) look for the span that
 * started a workflow.
 */
const TRACE_HEADER = '_tracer-data';

export type TraceHeaders = Record<string, Payload>;

type Api = typeof import('@opentelemetry/api');

/** The OpenTelemetry API; undefined if `@opentelemetry/api` is not installed, which is an optional peer dependency. */
const api = load();

function load(): Api | undefined {
  try {
    return require('@opentelemetry/api') as Api;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

/**
 * Starts a firing's workflow within a span of its own. The headers carry the span's context, so that Temporal's
 * interceptors can make the span the parent of the workflow's span. If no OpenTelemetry SDK is set up, there is no span
 * and no header.
 */
export async function traced(
  start: WorkflowStart,
  call: (headers: TraceHeaders) => Promise<{ runId: string }>,
): Promise<{ runId: string }> {
  if (!api) return call({});
  const span = tracerOf(api).startSpan(`Firing:${start.action.workflowType}`, {
    kind: api.SpanKind.PRODUCER,
    attributes: attributesOf(start),
  });
  try {
    const started = await call(headersOf(api, api.trace.setSpan(api.context.active(), span)));
    span.setAttribute('run_id', started.runId);
    span.setStatus({ code: api.SpanStatusCode.OK });
    return started;
  } catch (error) {
    failed(api, span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** The tracer is looked up each time, since an SDK may be set up after this module was loaded. */
function tracerOf({ trace }: Api): Tracer {
  return trace.getTracer('escapement', version);
}

function headersOf({ propagation }: Api, context: Context): TraceHeaders {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier);
  return Object.keys(carrier).length === 0 ? {} : { [TRACE_HEADER]: defaultPayloadConverter.toPayload(carrier) };
}

/** If Temporal's interceptors have a name for an attribute, the span uses that name. */
function attributesOf({ firing, memo }: WorkflowStart): Attributes {
  return {
    temporalWorkflowId: firing.workflowId,
    'escapement.namespace': firing.namespace,
    'escapement.schedule_id': firing.scheduleId,
    'escapement.scheduled_time': firing.scheduledTime.toISOString(),
    'escapement.kind': firing.kind,
    'escapement.start_attempt': memo.startAttempt,
    'escapement.recovered': memo.recovery !== undefined,
  };
}

function failed({ SpanStatusCode }: Api, span: Span, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  span.recordException(error instanceof Error ? error : message);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
