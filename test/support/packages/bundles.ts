import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { EscapementPlugin } from '../../../plugin';

const built = new Map<string, Promise<{ code: string }>>();

interface Bundled {
  /** Whether with the plugin, so that steps may be parked. */
  park?: boolean;
  failureConverterPath?: string;
}

/** The bundle of a file of workflows, built once per process. */
export function bundleOf(workflowsPath: string, options: Bundled = {}): Promise<{ code: string }> {
  const key = JSON.stringify([workflowsPath, options]);
  const bundle = built.get(key) ?? build(workflowsPath, options).then(withoutMap);
  built.set(key, bundle);
  return bundle;
}

function build(workflowsPath: string, { park, ...options }: Bundled): Promise<{ code: string }> {
  const logger = new DefaultLogger('ERROR');
  if (!park) return bundleWorkflowCode({ workflowsPath, logger, ...options });
  const plugin = new EscapementPlugin({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere', park: 'all' });
  return bundleWorkflowCode({ workflowsPath, logger, ...options, plugins: [plugin, plugin] });
}

/** Each worker would parse the map of its sources, for stacks of workflows that no test reads. */
function withoutMap({ code }: { code: string }): { code: string } {
  const comment = '//# sourceMappingURL=data:';
  const map = JSON.stringify({ version: 3, file: 'workflows.js', sources: [], names: [], mappings: '' });
  const own = code.slice(0, code.lastIndexOf(comment));
  return { code: `${own}${comment}application/json;base64,${Buffer.from(map).toString('base64')}` };
}
