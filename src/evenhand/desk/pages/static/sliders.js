// A slider beside each number that has one; both show the same value. Without this file the numbers are fields.
"use strict";
(() => {
  for (const field of document.querySelectorAll("input[data-slider]")) {
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = field.min;
    slider.max = field.max;
    slider.step = field.max === "1" ? "0.01" : field.step;
    slider.value = field.value === "" ? field.max : field.value;
    slider.setAttribute("aria-label", field.labels[0].textContent);
    slider.addEventListener("input", () => { field.value = slider.value; });
    field.addEventListener("input", () => { if (field.value !== "") slider.value = field.value; });
    field.after(slider);
  }
})();
