import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { EscapementPlugin } from '../../../plugin';

const built = new Map<string, Promise<WorkflowBundleWithSourceMap>>();

/** The bundle of a file of workflows, built once per process. With `park`, it is built with the plugin. */
export function bundleOf(workflowsPath: string, { park = false } = {}): Promise<WorkflowBundleWithSourceMap> {
  const key = `${workflowsPath} ${park}`;
  const bundle = built.get(key) ?? build(workflowsPath, park);
  built.set(key, bundle);
  return bundle;
}

function build(workflowsPath: string, park: boolean): Promise<WorkflowBundleWithSourceMap> {
  const logger = new DefaultLogger('ERROR');
  if (!park) return bundleWorkflowCode({ workflowsPath, logger });
  const plugin = new EscapementPlugin({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere', park: 'all' });
  return bundleWorkflowCode({ workflowsPath, logger, plugins: [plugin, plugin] });
}
