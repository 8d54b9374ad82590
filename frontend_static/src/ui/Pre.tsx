import type { ComponentProps } from "react";

/** A text as it is, which a browser must not translate. */
export const Pre = (props: ComponentProps<"pre">) => <pre translate="no" {...props} />;
