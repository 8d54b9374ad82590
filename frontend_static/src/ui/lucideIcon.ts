/**
 * The icons of lucide as one element each. A build resolves the module of `lucide-react` with the
 * same name to this one: there each icon is two components that read a context, and computes its
 * names and attributes when it is loaded and drawn.
 */

import { createElement, type SVGProps } from "react";

interface IconData {
  name: string;
  node: readonly (readonly [tag: string, attributes: Record<string, string>])[];
}

interface IconProps extends SVGProps<SVGSVGElement> {
  size?: number;
}

export default function createLucideIcon({ name, node }: IconData) {
  return function Icon({ size = 24, className, color = "currentColor", ...rest }: IconProps) {
    return createElement(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width: size,
        height: size,
        viewBox: "0 0 24 24",
        fill: "none",
        stroke: color,
        strokeWidth: 2,
        strokeLinecap: "round",
        strokeLinejoin: "round",
        className: `lucide lucide-${name}${className ? ` ${className}` : ""}`,
        "aria-hidden": !("aria-label" in rest),
        ...rest,
      },
      ...node.map(([tag, attributes]) => createElement(tag, attributes)),
    );
  };
}
