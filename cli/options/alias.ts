import { Option } from 'commander';

/** Another name of an option, which the help does not show. */
export function alias(flags: string, attribute: string): Option {
  const option = new Option(flags).hideHelp();
  option.attributeName = () => attribute;
  return option;
}
