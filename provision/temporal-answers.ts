import { Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';

const NOT_FOUND = 5;
/** A server on this machine is called without a proxy. */
const WITHOUT_PROXY = { 'grpc.enable_http_proxy': 0 };

/**
 * Whether a Temporal server answers within the time, at an address (`host:port`, without TLS) or with connection
 * options. The check makes a real call to the server.
 */
export async function temporalAnswers(to: string | ConnectionOptions, timeoutMilliseconds = 10_000): Promise<boolean> {
  const options = typeof to === 'string' ? { address: to } : to;
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: timeoutMilliseconds });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether workflows can be started in the namespace. A server answers before workflows can be started, while its
 * history service still loads its shard. The query for a workflow that does not exist reaches the history service, so
 * its answer shows that the shard is loaded.
 */
export async function namespaceIsUsable(to: string | ConnectionOptions, namespace: string): Promise<boolean> {
  const options = typeof to === 'string' ? { address: to } : to;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ ...options, connectTimeout: 3_000, channelArgs: WITHOUT_PROXY });
    const { workflowService } = connection;
    await workflowService.describeNamespace({ namespace });
    const workflow = { namespace, execution: { workflowId: 'escapement-readiness-check' } };
    return await workflowService.describeWorkflowExecution(workflow).then(
      () => true,
      (error) => isGrpcServiceError(error) && Number(error.code) === NOT_FOUND,
    );
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
